import type { Server } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../api/answer.ts';
import { fraction } from '../data/random.ts';
import { each, endpointNames, type EndpointName } from '../lists.ts';
import type { Call } from './answer-faults.ts';
import { faultKinds, type FaultName } from './fault-kinds.ts';
import { createClosablePort, type ClosablePort } from './closable-port.ts';

/**
 * The requests that a fault affects. `first`, `middle`, `last`: those for that page of a list, where middle pages are all
 * others. `random`: about a third, among them one of the first three, but at most two identical requests in a row.
 */
export const faultPlaces = ['any', 'random', 'first', 'middle', 'last'] as const;
export type FaultPlace = (typeof faultPlaces)[number];

/** A fault of one endpoint. */
export interface FaultPlan {
  fault: FaultName;
  at: FaultPlace;
  times: number | null; // how often it occurs; null: until it is removed, as always with `connectionRefused`
}

/** The faults of a scenario by endpoint. */
export type FaultPlans = Partial<Record<EndpointName, FaultPlan>>;

/** A fault with the number of times that it still occurs. */
type ActiveFault = FaultPlan & { left: number; matches: Matcher; previousCursor?: string };
type Matcher = (call: Call, answer: Answer) => boolean;

/** Creates the faults of one scenario, initially none. */
export function createFaults(seed: number) {
  const hits = each(endpointNames, () => 0);
  const ports: Partial<Record<EndpointName, ClosablePort>> = {};
  const active: Partial<Record<EndpointName, ActiveFault>> = {};
  let plans: FaultPlans = {};

  const replace = async (endpoint: EndpointName, plan: FaultPlan | undefined, server: Server) => {
    await ports[endpoint]?.reopen();
    if (plan?.fault === 'connectionRefused') ports[endpoint] ??= await createClosablePort(server);
    // no request precedes a token request
    if (plan?.fault === 'connectionRefused' && endpoint === 'token') ports[endpoint]?.close();
    if (plan === undefined) delete active[endpoint];
    else active[endpoint] = { ...plan, left: plan.times ?? Infinity, matches: createMatcher(plan, seed) };
  };
  return {
    /** Delivers a response or what a fault makes of it. */
    send: (call: Call, answer: Answer, deliver: (answer: Answer) => void): void => {
      const { endpoint } = call;
      const now = active[endpoint];
      if (now === undefined) return deliver(answer);
      const { previousCursor } = now;
      if (typeof call.query['after'] === 'string') now.previousCursor = call.query['after'];
      if (now.left <= 0 || !now.matches(call, answer)) return deliver(answer);
      // before the client can notice: its next connection must be refused
      if (now.fault === 'connectionRefused') ports[endpoint]?.close();
      const changed = faultKinds[now.fault].apply({ call, answer, previousCursor });
      if (changed === false) return deliver(answer);
      now.left -= 1;
      hits[endpoint] += 1;
      if (changed !== undefined) deliver({ ...answer, ...changed });
    },
    /** Replaces all faults; unchanged ones continue. Throws an error with `statusCode` 400 if one does not apply to an endpoint. */
    set: async (next: FaultPlans, server: Server): Promise<void> => {
      rejectUnsuitable(next);
      const changed = endpointNames.filter((name) => !isDeepStrictEqual(next[name], plans[name]));
      plans = next;
      for (const endpoint of changed) await replace(endpoint, next[endpoint], server);
    },
    /** The current faults, and how often each endpoint was affected; refused connections are not counted. */
    counts: () => ({ plans, hits: { ...hits } }),
    /** The origin at which connections to an endpoint can be refused, if any. */
    originOf: (endpoint: EndpointName) => ports[endpoint]?.origin,
  };
}

function rejectUnsuitable(plans: FaultPlans): void {
  for (const [endpoint, { fault }] of Object.entries(plans) as [EndpointName, FaultPlan][])
    if (!faultKinds[fault].endpoints.includes(endpoint))
      throw Object.assign(new Error(`${fault} does not apply to ${endpoint}`), { statusCode: 400 });
}

const maxInARow = 2; // the maximum number of identical requests in a row with a random fault, so that a few attempts succeed
const chance = 1 / 3;

/** Decides for each request whether the fault affects it; random choices follow from the seed and the order of requests. */
function createMatcher(plan: FaultPlan, seed: number): Matcher {
  const inARow = new Map<string, number>();
  let requests = 0;
  return (call, answer) => {
    if (plan.at === 'any' || call.endpoint === 'token') return true;
    if (plan.at !== 'random') return answer.page === plan.at;
    requests += 1;
    const key = JSON.stringify(call.query);
    const before = inARow.get(key) ?? 0;
    const isCertain = requests === 1 + Math.floor(3 * fraction(seed, 0, 0, 11));
    const isHit = (isCertain || fraction(seed, requests, 0, 12) < chance) && before < maxInARow;
    inARow.set(key, isHit ? before + 1 : 0);
    return isHit;
  };
}
