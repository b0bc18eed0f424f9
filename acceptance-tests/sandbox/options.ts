import { formats } from './data/instant.ts';
import type { CreatedFormat } from './data/instant.ts';
import { each, eachList, listNames, lists } from './lists.ts';
import type { Module, PagedBy, Paging } from './lists.ts';

/** The JSON Schema of one option, with its default. */
interface Option<T> {
  default: T;
  description: string;
  [keyword: string]: unknown;
}

/** How one member of the offset pagination object is served; `{plus}` adds to the right value. */
export type MemberOption = 'right' | 'absent' | 'null' | 'minusOne' | 'wrong' | { plus: number };

export const offsetMembers = [
  'offset',
  'limit',
  'previousOffset',
  'nextOffset',
  'currentPage',
  'pageCount',
  'totalCount',
] as const;

const refusals = {
  badRequest: 400,
  badCredentials: 401,
  overTokenLimit: 429,
  badToken: 401,
  moduleMissing: 403,
  permissionMissing: 403,
  productMissing: 403,
  notAcceptable: 406,
};
/** Why a request is refused. */
export type Outcome = keyof typeof refusals;

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
const right = each(offsetMembers, (): MemberOption => 'right');
const plus = { type: 'object', required: ['plus'], properties: { plus: { type: 'integer' } } };
const member = { anyOf: [{ enum: ['right', 'absent', 'null', 'minusOne', 'wrong'] }, plus] };

/** The options of a whole scenario: what each one means, what it takes, what it is if nobody sets it. */
const general = {
  tokenLimits: flag(true, 'whether the issuance limits hold'),
  tokenFormat: choice(['jwt', 'opaque'], 'a JWT has a real exp claim'),
  expiresInUnit: choice(['seconds', 'minutes', 'hours', 'milliseconds', 'absent'], 'unit of expiresIn'),
  expiresInField: choice(['expiresIn', 'expires_in', 'expriesIn'], 'how the member is spelt'),
  tokenType: option('Bearer', 'value of tokenType', { type: 'string' }),
  tokenSuccessStatus: choice([200, 201], 'status of an issued token'),
  audiences: group('module audience of each list', modules, { type: 'string', minLength: 1 }),
  permissions: group('permissions of the integrator', held, bool),
  products: group('products bought: behind each list, by its module', bought, bool),
  errorStatus: group('status of each refusal', refusals, { type: 'integer', minimum: 400, maximum: 599 }),
  retryAfter: choice(['absent', 'seconds'], 'Retry-After of an exceeded token limit'),
  unknownParameters: choice(['ignored', 'refused'], 'query parameters that an endpoint does not have'),
  latencyMs: integer(0, 0, 'milliseconds before an answer is made'),
  envelopeExtra: flag(false, 'other members beside items and pagination, with like-named ones deeper'),
  memberOrder: choice(['itemsFirst', 'metadataFirst'], 'order of the envelope'),
  prettyPrint: flag(false, 'pages spread over lines'),
  dateHeader: option<'clock' | 'absent' | number>(
    'clock',
    "Date header: the world's clock, none, or the clock plus so many seconds",
    { anyOf: [{ enum: ['clock', 'absent'] }, { type: 'number' }] },
  ),
  createdFormat: choice(Object.keys(formats) as [CreatedFormat], 'how createdDate is written'),
  createdSinceStrict: flag(false, 'createdSince only in the format of createdFormat'),
};

/** The options that each offset-paged list has under its own name: `assetsLimitCap`. */
const offset = {
  limitCap: none('larger limits are cut to this, silently'),
  limitRefusedAbove: none('larger limits are refused'),
  depth: none('rows from this offset on are not shown, though totalCount counts them'),
  refusesBeyond: flag(
    false,
    'offsets at which no row is shown are refused rather than answered with an empty page',
  ),
  pagination: group('each member of the pagination object; wrong: half of it, plus: added', right, member),
  order: choice(['stable', 'shuffleTies'], 'whether rows of equal created time swap between requests'),
};

/** The options that each cursor-paged list has under its own name: `alarmsMaxPageSize`. */
const cursor = {
  maxPageSize: integer(25, 1, 'the maximum page size'),
  cursorSince: choice(
    ['mustMatch', 'request', 'cursor'],
    'createdSince beside after: refused if it is not the one the chain began with; it counts; the old one counts',
  ),
  bound: choice(['inclusive', 'exclusive'], 'whether rows created at createdSince are served'),
  boundPrecision: choice(['exact', 'second', 'minute'], 'createdSince is cut down to this'),
  end: choice(['empty', 'null', 'absent'], 'nextCursor of the last page'),
  emptyPages: chance('how likely a page in the middle is empty (at most three in a row)'),
  order: choice(['ascending', 'shuffled'], 'order of the list'),
  createdMissingEvery: none('every so many rows have no createdDate'),
};

type Value<T> = T extends Option<infer V> ? V : never;
type Values<T> = { [K in keyof T]: Value<T[K]> };
type Named<L extends string, T> = { [K in keyof T & string as `${L}${Capitalize<K>}`]: Value<T[K]> };
const ofLists = { offset, cursor };
export type OffsetOptions = Values<typeof offset>;
export type CursorOptions = Values<typeof cursor>;

/** What a scenario leaves open, each settled one way. All options can change while it runs. */
export type Options = Values<typeof general> &
  Named<PagedBy<'offset'>, typeof offset> &
  Named<PagedBy<'cursor'>, typeof cursor>;

/** A partial change: options that are objects may be given in part too. */
export type OptionsPatch = {
  [K in keyof Options]?: Options[K] extends Record<string, unknown> ? Partial<Options[K]> : Options[K];
};

const named = (list: string, own: string): string => list + own.charAt(0).toUpperCase() + own.slice(1);

const schemas: Record<string, Option<unknown>> = { ...general };
for (const list of listNames)
  for (const [own, schema] of Object.entries(ofLists[lists[list].paging])) schemas[named(list, own)] = schema;

/** The JSON Schema of a partial change. */
export const optionsPatchSchema = { type: 'object', additionalProperties: false, properties: schemas };

const names = Object.keys(schemas);
export const defaultOptions = each(names, (name) => schemas[name]?.default) as object as Options;

/** The options of one list, by their own names. */
export function optionsOf<P extends Paging>(
  options: Options,
  paging: P,
  list: PagedBy<P>,
): Values<(typeof ofLists)[P]> {
  const all: Record<string, unknown> = options;
  return each(Object.keys(ofLists[paging]), (name) => all[named(list, name)]) as Values<(typeof ofLists)[P]>;
}

/** The options after a change; those that are objects keep the members that the patch leaves out. */
export function changedOptions(options: Options, patch: OptionsPatch): Options {
  const changed: Record<string, unknown> = { ...options };
  for (const [name, value] of Object.entries(patch)) {
    const before = changed[name];
    changed[name] =
      typeof before === 'object' && before !== null ? { ...before, ...(value as object) } : value;
  }
  return changed as Options;
}
