import { alarmText, assetText, depotText, driverText, positionText, tripText } from './data/row-texts.ts';
import type { RowDraft } from './data/row-texts.ts';

/** What distinguishes a list of the API; its options, faults, ground truth and view on the page follow from it. */
interface List {
  readonly module: string; // the audience of its module, unless the option `audiences` overrides it
  readonly paging: 'offset' | 'cursor';
  readonly text: (draft: RowDraft) => string;
  readonly created: string; // the fields that contain the created time and the key of a row; null: no key
  readonly key: string | null;
}

/** Every list; add new ones at the end. Lists after alarms exist only in scenarios that request rows of them. */
export const lists = {
  assets: { module: 'AMAPI', paging: 'offset', text: assetText, created: 'createdDate', key: 'assetId' },
  alarms: { module: 'UMAPI', paging: 'cursor', text: alarmText, created: 'createdDate', key: 'alarmId' },
  drivers: { module: 'DMAPI', paging: 'offset', text: driverText, created: 'hiredAt', key: 'driverId' },
  depots: { module: 'PMAPI', paging: 'offset', text: depotText, created: 'openedAt', key: 'code' },
  trips: { module: 'DMAPI', paging: 'cursor', text: tripText, created: 'startedAt', key: 'tripId' },
  positions: { module: 'PMAPI', paging: 'cursor', text: positionText, created: 'at', key: null },
} as const satisfies Record<string, List>;

/** The lists with a config key of the same name. */
export const predefinedNames = ['assets', 'alarms'] as const;
export type PredefinedName = (typeof predefinedNames)[number];
export const isPredefined = (name: string): name is PredefinedName => name === 'assets' || name === 'alarms';

type Lists = typeof lists;
export type ListName = keyof Lists;
export type Paging = List['paging'];
export type Module = Lists[ListName]['module'];
/** The names of the lists with a kind of paging. */
export type PagedBy<P extends Paging> = {
  [L in ListName]: Lists[L]['paging'] extends P ? L : never;
}[ListName];

export type EndpointName = 'token' | ListName;

export const listNames = Object.keys(lists) as ListName[];
/** The part of its path between that of the scenario and `/v1/{name}`. */
export const pathOf = (name: ListName): string => `${name.replace(/s$/, '')}-api`;
/** Part of the random seed of a list. */
export const numberOf = (name: ListName): number => listNames.indexOf(name) + 1;
export const endpointNames: readonly EndpointName[] = ['token', ...listNames];

export const isPagedBy = <P extends Paging>(paging: P, name: ListName): name is PagedBy<P> =>
  lists[name].paging === paging;
export const pagedBy = <P extends Paging>(paging: P) => listNames.filter((name) => isPagedBy(paging, name));

export const each = <K extends string, T>(names: readonly K[], make: (name: K) => T): Record<K, T> =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, T>;

export const eachList = <T>(make: (name: ListName) => T): Record<ListName, T> => each(listNames, make);
