import { fraction } from '../data/random.ts';
import type { Answer } from '../api/answer.ts';
import type { Call } from '../api/endpoint-hook.ts';
import { pageOf } from './fault-act.ts';
import type { FaultPlan } from './fault-plan.ts';

/** Requests that ask for the same and meet a random fault one after the other, at most: a few attempts get through. */
const mostInARow = 2;
const chance = 1 / 3;

/** Decides for each request in turn whether the fault is meant for it. */
export type Aim = (call: Call, answer: Answer) => boolean;

/** An aim for a plan; a random one follows from the seed and the order in which the requests come. */
export function createAim(plan: FaultPlan, seed: number): Aim {
  const inARow = new Map<string, number>();
  let requests = 0;
  return (call, answer) => {
    if (plan.at === 'any' || call.endpoint === 'token') return true;
    if (plan.at !== 'random') return answer.status === 200 && placeOf(call, answer) === plan.at;
    requests += 1;
    const key = JSON.stringify(call.query);
    const before = inARow.get(key) ?? 0;
    const certain = requests === 1 + Math.floor(3 * fraction(seed, 0, 0, 11));
    const hit = (certain || fraction(seed, requests, 0, 12) < chance) && before < mostInARow;
    inARow.set(key, hit ? before + 1 : 0);
    return hit;
  };
}

/** Which page of its list an answer is. */
function placeOf({ endpoint, query }: Call, answer: Answer): 'first' | 'middle' | 'last' {
  const { pagination } = pageOf(answer).metadata;
  if (endpoint === 'alarms') {
    if (query['after'] === undefined) return 'first';
    return (pagination['nextCursor'] ?? '') === '' ? 'last' : 'middle';
  }
  const offset = Number(query['offset'] ?? 0);
  if (offset === 0) return 'first';
  return offset + answer.rows >= Number(pagination['totalCount']) ? 'last' : 'middle';
}
