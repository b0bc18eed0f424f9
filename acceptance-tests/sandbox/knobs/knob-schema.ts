import type { Knobs, MemberKnob, OffsetMember, Outcome } from './knobs.ts';

/** The JSON Schema of one knob, with its default. */
export interface KnobSchema<T> {
  default: T;
  description: string;
  [keyword: string]: unknown;
}

function flag(value: boolean, description: string): KnobSchema<boolean> {
  return { type: 'boolean', default: value, description };
}

function choice<const T>(values: readonly [T, ...T[]], description: string): KnobSchema<T> {
  return { enum: values, default: values[0], description };
}

function integer(value: number, minimum: number, description: string): KnobSchema<number> {
  return { type: 'integer', minimum, default: value, description };
}

function none(minimum: number, description: string): KnobSchema<number | null> {
  return { type: ['integer', 'null'], minimum, default: null, description: `${description}; null: none` };
}

function chance(description: string): KnobSchema<number> {
  return { type: 'number', minimum: 0, maximum: 1, default: 0, description };
}

function group<T extends object>(
  value: T,
  member: object | ((name: string) => object),
  description: string,
): KnobSchema<T> {
  const properties = Object.fromEntries(Object.keys(value).map((name) => [name, member]));
  return { type: 'object', additionalProperties: false, properties, default: value, description };
}

const bool = { type: 'boolean' };
const text = { type: 'string', minLength: 1 };

const member = {
  anyOf: [
    { enum: ['right', 'absent', 'null', 'minusOne', 'wrong'] },
    {
      type: 'object',
      required: ['plus'],
      additionalProperties: false,
      properties: { plus: { type: 'integer' } },
    },
  ],
};

const rightMembers: Record<OffsetMember, MemberKnob> = {
  offset: 'right',
  limit: 'right',
  previousOffset: 'right',
  nextOffset: 'right',
  currentPage: 'right',
  pageCount: 'right',
  totalCount: 'right',
};

const statuses: Record<Outcome, number> = {
  badRequest: 400,
  badCredentials: 401,
  overTokenLimit: 429,
  badToken: 401,
  moduleMissing: 403,
  permissionMissing: 403,
  productMissing: 403,
  notAcceptable: 406,
  rateLimited: 429,
};

/** Every knob: what it means, what it takes, what it is if nobody turns it. */
export const knobSchemas: { readonly [K in keyof Knobs]: KnobSchema<Knobs[K]> } = {
  tokenLimits: flag(true, 'whether the issuance limits hold'),
  tokenFormat: choice(['jwt', 'opaque'], 'a JWT has a real exp claim'),
  expiresInUnit: choice(['seconds', 'minutes', 'hours', 'milliseconds', 'absent'], 'unit of expiresIn'),
  expiresInField: choice(['expiresIn', 'expires_in', 'expriesIn'], 'how the member is spelt'),
  tokenType: { type: 'string', default: 'Bearer', description: 'value of tokenType' },
  tokenSuccessStatus: choice([200, 201], 'status of an issued token'),
  audiences: group({ assets: 'AMAPI', alarms: 'UMAPI' }, text, 'module audience of each list'),
  permissions: group({ assets: true, alarms: true }, bool, 'permissions of the integrator'),
  products: group({ AMAPI: true, UMAPI: true }, bool, 'products bought: behind assets, behind alarms'),

  errorBody: choice(
    ['json', 'text', 'empty'],
    'body of an error: {type, message, errors}, its message, or nothing',
  ),
  errorStatus: group(statuses, { type: 'integer', minimum: 400, maximum: 599 }, 'status of each refusal'),
  retryAfter: choice(['absent', 'seconds', 'date'], 'Retry-After of an exceeded limit'),
  requestsPerMinute: none(0, 'list requests that one minute of the clock lets pass'),
  acceptHeader: choice(['required', 'ignored'], 'whether lists want an Accept header that fits JSON'),
  unknownParameters: choice(['ignored', 'refused'], 'query parameters that an endpoint does not have'),
  latencyMs: integer(0, 0, 'milliseconds before an answer is made'),
  envelopeExtra: flag(false, 'other members beside items and pagination, with like-named ones deeper'),
  memberOrder: choice(['itemsFirst', 'metadataFirst'], 'order of the envelope'),
  prettyPrint: flag(false, 'pages spread over lines'),
  dateHeader: {
    anyOf: [{ enum: ['clock', 'absent'] }, { type: 'number' }],
    default: 'clock',
    description: "Date header: the world's clock, none, or the clock plus so many seconds",
  },
  createdFormat: choice(
    [
      'milliseconds',
      'seconds',
      'microseconds',
      'nanoseconds',
      'epochSeconds',
      'epochMilliseconds',
      'offset',
      'noZone',
    ],
    'how createdDate is written (part of the row texts, so of the truth)',
  ),

  assetsDefaultLimit: integer(50, 1, 'limit of a request without one'),
  assetsLimitCap: none(1, 'larger limits are cut to this, silently'),
  assetsLimitRefusedAbove: none(1, 'larger limits are refused'),
  assetsPagination: group(
    rightMembers,
    member,
    'each member of the pagination object; wrong: half of it, plus: added',
  ),
  assetsPreviousOffsetEdge: choice(
    ['zero', 'null', 'absent', 'minusOne'],
    'previousOffset of the first page',
  ),
  assetsNextOffsetEdge: choice(['past', 'same', 'null', 'absent', 'minusOne'], 'nextOffset of the last page'),
  assetsFirstPageNumber: choice([1, 0], 'currentPage of the first page'),
  assetsShortPages: chance('how likely a page before the end has fewer rows than asked for'),
  assetsOrder: choice(['stable', 'shuffleTies'], 'whether rows of equal created time swap between requests'),

  alarmsMaxPageSize: integer(25, 1, 'the maximum page size'),
  alarmsCursor: choice(['keyset', 'random'], 'cursors that hold their content, or keys to remembered ones'),
  alarmsCursorLifetimeSeconds: none(0, 'how long a cursor lives on the world clock'),
  alarmsExpiredCursor: choice(['refuse', 'firstPage'], 'what an expired cursor gets'),
  alarmsCursorSince: choice(
    ['mustMatch', 'request', 'cursor'],
    'createdSince beside after: refused if it is not the one the chain began with; it counts; the old one counts',
  ),
  alarmsBound: choice(['inclusive', 'exclusive'], 'whether rows created at createdSince are served'),
  alarmsBoundPrecision: choice(['exact', 'second', 'minute'], 'createdSince is cut down to this'),
  createdSinceStrict: flag(false, 'createdSince only in the format of createdFormat'),
  alarmsEnd: choice(['empty', 'null', 'absent'], 'nextCursor of the last page'),
  alarmsEmptyPages: chance('how likely a page in the middle is empty (at most three in a row)'),
  alarmsTrailingEmptyPage: flag(false, 'a full last page has a cursor, to an empty page'),
  alarmsOrder: choice(['ascending', 'descending', 'shuffled'], 'order of the list'),
  alarmsCreatedMissingEvery: none(1, 'every so many rows have no createdDate'),
};

/** The JSON Schema of a partial change. */
export const knobPatchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: knobSchemas,
} as const;
