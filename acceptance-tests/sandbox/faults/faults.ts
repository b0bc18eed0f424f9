import type { Server } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../api/answer.ts';
import { fraction } from '../data/random.ts';
import { each, endpointNames, predefinedNames } from '../lists.ts';
import type { EndpointName } from '../lists.ts';
import type { SandboxConfig } from '../scenario.ts';
import type { Call } from './answer-faults.ts';
import { catalogue } from './catalogue.ts';
import type { FaultName } from './catalogue.ts';
import { createDoor } from './door.ts';
import type { Door } from './door.ts';

/**
 * Which requests a fault meets. `any`: each one; `first`, `middle`, `last`: those for that page of a list (middle is every
 * page between the other two); `random`: about every third one, and one of the first three for certain, but never more
 * than two in a row that ask for the same.
 */
export const faultPlaces = ['any', 'random', 'first', 'middle', 'last'] as const;
export type FaultPlace = (typeof faultPlaces)[number];

/** A fault of one endpoint. */
export interface FaultPlan {
  fault: FaultName;
  at: FaultPlace;
  /** How often it happens; null: for good. `connectionRefused` stays until other faults are set, in any case. */
  times: number | null;
}

/** The faults of a scenario, by endpoint; an endpoint that is left out behaves. */
export type FaultPlans = Partial<Record<EndpointName, FaultPlan>>;

/** The faults of one scenario: none until some are set. */
export function createFaults(seed: number) {
  const hits = each(endpointNames, () => 0);
  const doors: Partial<Record<EndpointName, Door>> = {};
  const running: Partial<Record<EndpointName, Running>> = {};
  let plans: FaultPlans = {};
  const behind = (endpoint: EndpointName, address: string): string =>
    doors[endpoint]?.addressOf(address) ?? address;

  return {
    /** Delivers an answer, or what a fault makes of it. */
    send: (call: Call, answer: Answer, deliver: (answer: Answer) => void): void => {
      const { endpoint } = call;
      const now = running[endpoint];
      if (now === undefined) return deliver(answer);
      const { cursorBefore } = now;
      if (typeof call.query['after'] === 'string') now.cursorBefore = call.query['after'];
      if (now.left <= 0 || !now.isMeant(call, answer)) return deliver(answer);
      // before anybody can know of it: whoever sees a connection cut must not find the door still open
      if (now.fault === 'connectionRefused') doors[endpoint]?.shut();
      const changed = catalogue[now.fault].act({ call, answer, cursorBefore });
      if (changed === false) return deliver(answer);
      now.left -= 1;
      hits[endpoint] += 1;
      if (changed !== undefined) deliver({ ...answer, ...changed });
    },
    /** Replaces all faults; one that stays the same goes on. Throws an error with `statusCode` 400 if one cannot happen there. */
    set: async (next: FaultPlans, server: Server): Promise<void> => {
      const before = plans;
      for (const [endpoint, { fault }] of Object.entries(next) as [EndpointName, FaultPlan][])
        if (!catalogue[fault].endpoints.includes(endpoint))
          throw Object.assign(new Error(`${fault} cannot happen at ${endpoint}`), { statusCode: 400 });
      plans = next;
      for (const endpoint of endpointNames) {
        const plan = next[endpoint];
        if (isDeepStrictEqual(plan, before[endpoint])) continue;
        await doors[endpoint]?.open();
        if (plan?.fault === 'connectionRefused') doors[endpoint] ??= await createDoor(server);
        // no request comes before it
        if (plan?.fault === 'connectionRefused' && endpoint === 'token') doors[endpoint]?.shut();
        if (plan === undefined) delete running[endpoint];
        else running[endpoint] = { ...plan, left: plan.times ?? Infinity, isMeant: createAim(plan, seed) };
      }
    },
    /** Those that were set last, and how often each endpoint misbehaved since they were first set; a refused connection is seen by nobody. */
    counts: () => ({ plans, hits: { ...hits } }),
    /** A config while faults happen: each endpoint behind the door of its own, where it has one. */
    configBehindDoors: (config: SandboxConfig): SandboxConfig => {
      const at = each(predefinedNames, (name) => {
        return { ...config[name], base_url: behind(name, config[name].base_url) };
      });
      const lists = config.lists?.map((entry) => ({
        ...entry,
        base_url: behind(entry.name, entry.base_url),
      }));
      const auth_url = behind('token', config.auth_url);
      return { ...config, auth_url, ...at, ...(lists === undefined ? {} : { lists }) };
    },
  };
}

/** Requests that ask for the same and meet a random fault one after the other, at most: a few attempts get through. */
const mostInARow = 2;
const chance = 1 / 3;

/** A fault that happens at present: how often it still does, and what it has to know of requests. */
type Running = FaultPlan & { left: number; isMeant: IsMeant; cursorBefore?: string };
type IsMeant = (call: Call, answer: Answer) => boolean;

/** Decides for each request in turn whether the fault is meant for it; random ones follow from the seed and the order. */
function createAim(plan: FaultPlan, seed: number): IsMeant {
  const inARow = new Map<string, number>();
  let requests = 0;
  return (call, answer) => {
    if (plan.at === 'any' || call.endpoint === 'token') return true;
    if (plan.at !== 'random') return answer.page === plan.at;
    requests += 1;
    const key = JSON.stringify(call.query);
    const before = inARow.get(key) ?? 0;
    const certain = requests === 1 + Math.floor(3 * fraction(seed, 0, 0, 11));
    const hit = (certain || fraction(seed, requests, 0, 12) < chance) && before < mostInARow;
    inARow.set(key, hit ? before + 1 : 0);
    return hit;
  };
}
