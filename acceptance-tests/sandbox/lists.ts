import { alarmText, assetText } from './data/row-texts.ts';
import type { RowDraft } from './data/row-texts.ts';

/** What tells one list of the API from another. All else (options, faults, ground truth, page) follows from it. */
interface List {
  /** Keeps its random choices apart from those of other lists. */
  readonly number: number;
  /** Its path below a scenario's, before `/v1/{name}`. */
  readonly path: string;
  /** The audience of its module, unless an option says otherwise. */
  readonly module: string;
  readonly paging: 'offset' | 'cursor';
  /** The JSON text of one row. */
  readonly text: (draft: RowDraft) => string;
  /** The year in which the first rows were created. */
  readonly firstYear: number;
  /** What a connector must be told of it beside its address. */
  readonly configured: { readonly audience?: string; readonly id_field?: string };
}

/** Every list: a new one is one more entry. */
export const lists = {
  assets: {
    number: 1,
    path: 'asset-api',
    module: 'AMAPI',
    paging: 'offset',
    text: assetText,
    firstYear: 2024,
    configured: {},
  },
  alarms: {
    number: 2,
    path: 'alarm-api',
    module: 'UMAPI',
    paging: 'cursor',
    text: alarmText,
    firstYear: 2025,
    configured: { audience: 'UMAPI', id_field: 'alarmId' },
  },
} as const satisfies Record<string, List>;

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
export const endpointNames: readonly EndpointName[] = ['token', ...listNames];

/** The lists that are paged in a way. */
export const pagedBy = <P extends Paging>(paging: P): PagedBy<P>[] =>
  listNames.filter((name): name is PagedBy<P> => lists[name].paging === paging);

/** A value for every name. */
export const each = <K extends string, T>(names: readonly K[], make: (name: K) => T): Record<K, T> =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, T>;

/** A value for every list. */
export const eachList = <T>(make: (name: ListName) => T): Record<ListName, T> => each(listNames, make);
