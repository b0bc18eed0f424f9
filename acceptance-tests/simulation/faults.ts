import type { Random } from '../sandbox/data/random.ts';
import { chance } from './choice.ts';
import type { NetworkPlan } from './scenario.ts';

const LIST_FAULTS = [
  'status 503',
  'status 500',
  'status 408',
  'status 429',
  'status 429, Retry-After 7',
  'status 429, Retry-After 0',
  'no connection',
  'answer lost',
  'cut',
  'stall',
  'half a page',
  'no items',
  'no pagination',
  'bad UTF-8',
  'a web page',
  'tokens revoked',
  'another offset',
] as const;
const TOKEN_FAULTS = ['status 503', 'no connection'] as const;

/** What befalls a request. */
export type Fault = (typeof LIST_FAULTS)[number];

/** What befalls a request, null for nothing; a request is known by its name. */
type FaultOf = (name: string, isList: boolean) => Fault | null;

export function createFaults(plan: NetworkPlan['faults'], random: Random, isCalm: boolean): FaultOf {
  const inRow = new Map<string, number>();
  let revoked = 0;
  return (name, isList) => {
    const before = inRow.get(name) ?? 0;
    const most = isList ? plan.mostInRow : 1;
    if (isCalm || before >= most || !chance(random, plan.percent)) {
      // a page that is asked for again was refused for its dead cursor: that is one attempt more, and no new beginning
      if (!isList) inRow.delete(name);
      return null;
    }
    const fault: Fault = isList ? random.pick(LIST_FAULTS) : random.pick(TOKEN_FAULTS);
    if (fault === 'tokens revoked' && revoked++ >= plan.mostRevoked) return null;
    inRow.set(name, before + 1);
    return fault;
  };
}
