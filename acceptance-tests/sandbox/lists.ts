import { alarmText, assetText, depotText, driverText, positionText, tripText } from './data/row-texts.ts';
import type { RowDraft } from './data/row-texts.ts';

/** What tells one list of the API from another. All else (options, faults, ground truth, page) follows from it. */
interface List {
  /** The audience of its module, unless an option says otherwise. */
  readonly module: string;
  readonly paging: 'offset' | 'cursor';
  /** The JSON text of one row. */
  readonly text: (draft: RowDraft) => string;
  /** The fields with the created time of a row and with its key; null if it has none. */
  readonly created: string;
  readonly key: string | null;
}

/** Every list: a new one is one more line at the end. Those after alarms are there in scenarios that ask for rows of them. */
export const lists = {
  assets: { module: 'AMAPI', paging: 'offset', text: assetText, created: 'createdDate', key: 'assetId' },
  alarms: { module: 'UMAPI', paging: 'cursor', text: alarmText, created: 'createdDate', key: 'alarmId' },
  drivers: { module: 'DMAPI', paging: 'offset', text: driverText, created: 'hiredAt', key: 'driverId' },
  depots: { module: 'PMAPI', paging: 'offset', text: depotText, created: 'openedAt', key: 'code' },
  trips: { module: 'DMAPI', paging: 'cursor', text: tripText, created: 'startedAt', key: 'tripId' },
  positions: { module: 'PMAPI', paging: 'cursor', text: positionText, created: 'at', key: null },
} as const satisfies Record<string, List>;

/** The lists that have a key of their own in a config. */
export const predefinedNames = ['assets', 'alarms'] as const;
export type PredefinedName = (typeof predefinedNames)[number];
export const isPredefined = (name: string): name is PredefinedName =>
  predefinedNames.some((one) => one === name);

type Lists = typeof lists;
export type ListName = keyof Lists;
export type Paging = List['paging'];
export type Module = Lists[ListName]['module'];
/** The names of the lists that are paged in a way. */
export type PagedBy<P extends Paging> = {
  [L in ListName]: Lists[L]['paging'] extends P ? L : never;
}[ListName];

/** The endpoints of a scenario. */
export type EndpointName = 'token' | ListName;

export const listNames = Object.keys(lists) as ListName[];
/** Its path below a scenario's, before `/v1/{name}`. */
export const pathOf = (name: ListName): string => `${name.replace(/s$/, '')}-api`;
/** Keeps the random choices of a list apart from those of others. */
export const numberOf = (name: ListName): number => listNames.indexOf(name) + 1;
export const endpointNames: readonly EndpointName[] = ['token', ...listNames];

/** The lists that are paged in a way. */
export const pagedBy = <P extends Paging>(paging: P): PagedBy<P>[] =>
  listNames.filter((name): name is PagedBy<P> => lists[name].paging === paging);

/** A value for every name. */
export const each = <K extends string, T>(names: readonly K[], make: (name: K) => T): Record<K, T> =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, T>;

/** A value for every list. */
export const eachList = <T>(make: (name: ListName) => T): Record<ListName, T> => each(listNames, make);
