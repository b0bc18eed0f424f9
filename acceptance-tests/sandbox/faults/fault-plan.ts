import type { EndpointName, SandboxConfig } from '../client-types.ts';

/** Every fault, from a wrong status to a cursor that goes round in circles; what each one does stands in `catalogue.ts`. */
export const faultNames = [
  'status400',
  'status401',
  'status403',
  'gateway403',
  'status404',
  'status408',
  'status410',
  'status429Bare',
  'status429Seconds',
  'status429Date',
  'status500',
  'status502',
  'status503',
  'status504',
  'redirect302',
  'redirect307',
  'noContent204',
  'protocolChanged101',
  'connectionRefused',
  'resetBeforeAnswer',
  'closedUnanswered',
  'resetInBody',
  'stalledHeaders',
  'stalledBody',
  'tricklingBody',
  'truncatedJson',
  'wrongContentLength',
  'gzipCutShort',
  'gzipBomb',
  'invalidUtf8',
  'html',
  'emptyBody',
  'emptyObject',
  'emptyArray',
  'hugeBody',
  'deepNesting',
  'deepNestingBeside',
  'itemsNull',
  'itemsNoArray',
  'itemNoObject',
  'itemEmpty',
  'paginationAbsent',
  'offsetNotEchoed',
  'cursorNoText',
  'cursorRepeated',
  'cursorAlternating',
] as const;

export type FaultName = (typeof faultNames)[number];

/**
 * Which requests a fault meets. `any`: each one; `first`, `middle`, `last`: those for that page of a list (middle is every
 * page between the other two); `random`: about every third one, and one of the first three for certain, but never more
 * than two in a row that ask for the same.
 */
export type FaultPlace = 'any' | 'first' | 'middle' | 'last' | 'random';

/** A fault of one endpoint. */
export interface FaultPlan {
  fault: FaultName;
  at: FaultPlace;
  /** How often it happens; null: for good. `connectionRefused` stays until other faults are set, in any case. */
  times: number | null;
}

/** The faults of a world, by endpoint; an endpoint that is left out behaves. */
export type FaultPlans = Partial<Record<EndpointName, FaultPlan>>;

/** What the faults of a world have done since they were first set. */
export interface FaultReport {
  /** The faults that were set last. */
  plans: FaultPlans;
  /** The config to read the world with while it has faults: behind an endpoint's own address a connection can be refused. */
  config: SandboxConfig;
  /** Times that a fault happened. A connection that is refused is seen by nobody, so the cut before it is what counts. */
  hits: Record<EndpointName, number>;
  /** Every token that the world issued meanwhile. */
  tokens: string[];
}
