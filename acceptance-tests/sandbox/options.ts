import { OFFSET_MEMBERS } from '../model/offset-answer.ts';
import { formats, type CreatedFormat } from './data/instant.ts';
import { each, eachList, listNames, lists, type Module, type PagedBy, type Paging } from './lists.ts';

interface Option<T> {
  default: T;
  description: string;
  [keyword: string]: unknown;
}

/** How a member of the offset pagination object is returned; `plus` is added to the correct value. */
export type MemberOption = 'right' | 'absent' | 'null' | 'minusOne' | 'wrong' | { plus: number };

const errorStatus = {
  badRequest: 400,
  badCredentials: 401,
  overTokenLimit: 429,
  badToken: 401,
  moduleMissing: 403,
  permissionMissing: 403,
  productMissing: 403,
  notAcceptable: 406,
};
export type ErrorType = keyof typeof errorStatus;

const bool = { type: 'boolean' };
const option = <T>(value: T, description: string, schema: object): Option<T> => {
  return { ...schema, default: value, description };
};
const flag = (value: boolean, description: string) => option(value, description, bool);
const choice = <const T>(values: readonly [T, ...T[]], description: string) =>
  option(values[0], description, { enum: values });
const integer = (value: number, minimum: number, description: string) =>
  option(value, description, { type: 'integer', minimum });
const none = (description: string) =>
  option<number | null>(null, `${description}; null: none`, { type: ['integer', 'null'], minimum: 1 });
const chance = (description: string) => option(0, description, { type: 'number', minimum: 0, maximum: 1 });
const group = <T extends object>(description: string, value: T, schema: object) => {
  const properties = each(Object.keys(value), () => schema);
  return option(value, description, { type: 'object', additionalProperties: false, properties });
};

const held = eachList(() => true);
const bought = each(Object.values(eachList((name): Module => lists[name].module)), () => true);
const modules = eachList((name): string => lists[name].module);
const right = each(OFFSET_MEMBERS, (): MemberOption => 'right');
const plus = { type: 'object', required: ['plus'], properties: { plus: { type: 'integer' } } };
const member = { anyOf: [{ enum: ['right', 'absent', 'null', 'minusOne', 'wrong'] }, plus] };

const general = {
  tokenLimits: flag(true, 'whether token limits are enforced'),
  tokenFormat: choice(['jwt', 'opaque'], 'format of tokens; a JWT has a valid exp claim'),
  expiresInUnit: choice(['seconds', 'minutes', 'hours', 'milliseconds', 'absent'], 'unit of expiresIn'),
  expiresInField: choice(['expiresIn', 'expires_in', 'expriesIn'], 'name of the member with the lifetime'),
  tokenType: option('Bearer', 'value of tokenType', { type: 'string' }),
  tokenSuccessStatus: choice([200, 201], 'status of a successful token response'),
  audiences: group('module audience of each list', modules, { type: 'string', minLength: 1 }),
  permissions: group('permissions of the integrator', held, bool),
  products: group('purchased products, by module', bought, bool),
  errorStatus: group('status of each error', errorStatus, { type: 'integer', minimum: 400, maximum: 599 }),
  retryAfter: choice(['absent', 'seconds'], 'Retry-After header when a token limit is exceeded'),
  unknownParameters: choice(['ignored', 'refused'], 'how unknown query parameters are handled'),
  latencyMs: integer(0, 0, 'delay of each response, in milliseconds'),
  envelopeExtra: flag(false, 'adds other members, and nested ones with the names of the real ones'),
  memberOrder: choice(['itemsFirst', 'metadataFirst'], 'order of the members of a page'),
  prettyPrint: flag(false, 'whether pages are indented'),
  dateHeader: option<'clock' | 'absent' | number>(
    'clock',
    "Date header: the world's clock, absent, or the clock plus a number of seconds",
    { anyOf: [{ enum: ['clock', 'absent'] }, { type: 'number' }] },
  ),
  createdFormat: choice(Object.keys(formats) as [CreatedFormat], 'format of created times'),
  createdSinceStrict: flag(false, 'whether createdSince is accepted in the format of createdFormat only'),
};

/** The options of each offset-paged list, prefixed with its name: `assetsLimitCap`. */
const offset = {
  limitCap: none('larger limits are silently reduced to this'),
  limitRefusedAbove: none('larger limits are rejected'),
  depth: none('rows from this offset on are hidden, although totalCount includes them'),
  changes: integer(0, 0, 'maximum number of rows inserted or deleted at random before each request'),
  offsets: choice(
    ['any', 'rounded down', 'refused'],
    'how offsets that are no multiples of the limit are handled',
  ),
  refusesBeyond: flag(false, 'whether offsets beyond the last row are rejected; otherwise the page is empty'),
  pagination: group('members of the pagination object; wrong: half, plus: a number to add', right, member),
  order: choice(['stable', 'shuffleTies'], 'whether rows with equal created times change places'),
};

/** The options of each cursor-paged list, prefixed with its name: `alarmsMaxPageSize`. */
const cursor = {
  maxPageSize: integer(25, 1, 'maximum page size'),
  cursorSince: choice(['mustMatch', 'request', 'cursor'], 'the createdSince of requests with after'),
  bound: choice(['inclusive', 'exclusive'], 'whether rows created exactly at createdSince are returned'),
  boundPrecision: choice(['exact', 'second', 'minute'], 'precision that createdSince is truncated to'),
  end: choice(['empty', 'null', 'absent'], 'nextCursor of the last page'),
  emptyPages: chance('probability that a middle page is empty (at most three in a row)'),
  order: choice(['ascending', 'shuffled'], 'order of the list'),
  createdMissingEvery: none('every Nth row has no created time'),
};

type Value<T> = T extends Option<infer V> ? V : never;
type Values<T> = { [K in keyof T]: Value<T[K]> };
type Named<L extends string, T> = { [K in keyof T & string as `${L}${Capitalize<K>}`]: Value<T[K]> };
const ofLists = { offset, cursor };
export type OffsetOptions = Values<typeof offset>;
export type CursorOptions = Values<typeof cursor>;

/** One choice for everything that the API leaves open. All options can change while a scenario runs. */
export type Options = Values<typeof general> &
  Named<PagedBy<'offset'>, typeof offset> &
  Named<PagedBy<'cursor'>, typeof cursor>;

/** A partial change, in which options that are objects may be partial too. */
export type OptionsPatch = {
  [K in keyof Options]?: Options[K] extends Record<string, unknown> ? Partial<Options[K]> : Options[K];
};

const named = (list: string, own: string): string => list + own.charAt(0).toUpperCase() + own.slice(1);

const schemas: Record<string, Option<unknown>> = { ...general };
for (const list of listNames)
  for (const [own, schema] of Object.entries(ofLists[lists[list].paging])) schemas[named(list, own)] = schema;

/** The JSON Schema of a partial change. */
export const optionsPatchSchema = { type: 'object', additionalProperties: false, properties: schemas };

export const defaultOptions = each(
  Object.keys(schemas),
  (name) => schemas[name]?.default,
) as object as Options;

/** The options of a list, without the prefix. */
export function optionsOf<P extends Paging>(options: Options, paging: P, list: PagedBy<P>) {
  const all: Record<string, unknown> = options;
  return each(Object.keys(ofLists[paging]), (name) => all[named(list, name)]) as Values<(typeof ofLists)[P]>;
}

/** Returns the changed options; options that are objects keep the members that the patch omits. */
export function changedOptions(options: Options, patch: OptionsPatch): Options {
  const changed: Record<string, unknown> = { ...options };
  for (const [name, value] of Object.entries(patch)) {
    const isObject = typeof value === 'object' && value !== null;
    changed[name] = isObject ? { ...(changed[name] as object), ...value } : value;
  }
  return changed as Options;
}
