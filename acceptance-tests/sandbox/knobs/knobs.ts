/** How one member of the offset pagination object is served; `{plus}` adds to the right value. */
export type MemberKnob = 'right' | 'absent' | 'null' | 'minusOne' | 'wrong' | { plus: number };

/** The members of the offset pagination object. */
export type OffsetMember =
  'offset' | 'limit' | 'previousOffset' | 'nextOffset' | 'currentPage' | 'pageCount' | 'totalCount';

/** How `createdDate` is written, and how a strict server wants `createdSince` (docs/api.md leaves it open). */
export type CreatedFormat =
  | 'seconds'
  | 'milliseconds'
  | 'microseconds'
  | 'nanoseconds'
  | 'epochSeconds'
  | 'epochMilliseconds'
  | 'offset'
  | 'noZone';

/** The outcomes whose status docs/api.md leaves open. */
export type Outcome =
  | 'badRequest'
  | 'badCredentials'
  | 'overTokenLimit'
  | 'badToken'
  | 'moduleMissing'
  | 'permissionMissing'
  | 'productMissing'
  | 'notAcceptable'
  | 'rateLimited';

/**
 * Every answer to what docs/api.md leaves open. All of them can change while a world runs.
 * What each one means, and its default, stands in `knob-schema.ts` and at /docs.
 */
export interface Knobs {
  tokenLimits: boolean;
  tokenFormat: 'jwt' | 'opaque';
  expiresInUnit: 'seconds' | 'minutes' | 'hours' | 'milliseconds' | 'absent';
  expiresInField: 'expiresIn' | 'expires_in' | 'expriesIn';
  tokenType: string;
  tokenSuccessStatus: 200 | 201;
  audiences: { assets: string; alarms: string };
  permissions: { assets: boolean; alarms: boolean };
  products: { AMAPI: boolean; UMAPI: boolean };

  errorBody: 'json' | 'text' | 'empty';
  errorStatus: Record<Outcome, number>;
  retryAfter: 'absent' | 'seconds' | 'date';
  requestsPerMinute: number | null;
  acceptHeader: 'required' | 'ignored';
  unknownParameters: 'ignored' | 'refused';
  latencyMs: number;
  envelopeExtra: boolean;
  memberOrder: 'itemsFirst' | 'metadataFirst';
  prettyPrint: boolean;
  dateHeader: 'clock' | 'absent' | number;
  createdFormat: CreatedFormat;

  assetsDefaultLimit: number;
  assetsLimitCap: number | null;
  assetsLimitRefusedAbove: number | null;
  assetsPagination: Record<OffsetMember, MemberKnob>;
  assetsPreviousOffsetEdge: 'zero' | 'null' | 'absent' | 'minusOne';
  assetsNextOffsetEdge: 'past' | 'same' | 'null' | 'absent' | 'minusOne';
  assetsFirstPageNumber: 0 | 1;
  assetsShortPages: number;
  assetsOrder: 'stable' | 'shuffleTies';

  alarmsMaxPageSize: number;
  alarmsCursor: 'keyset' | 'random';
  alarmsCursorLifetimeSeconds: number | null;
  alarmsExpiredCursor: 'refuse' | 'firstPage';
  alarmsCursorSince: 'mustMatch' | 'request' | 'cursor';
  alarmsBound: 'inclusive' | 'exclusive';
  alarmsBoundPrecision: 'exact' | 'second' | 'minute';
  createdSinceStrict: boolean;
  alarmsEnd: 'empty' | 'null' | 'absent';
  alarmsEmptyPages: number;
  alarmsTrailingEmptyPage: boolean;
  alarmsOrder: 'ascending' | 'descending' | 'shuffled';
  alarmsCreatedMissingEvery: number | null;
}

/** A partial change: knobs that are objects may be given in part too. */
export type KnobPatch = {
  [K in keyof Knobs]?: Knobs[K] extends Record<string, unknown> ? Partial<Knobs[K]> : Knobs[K];
};
