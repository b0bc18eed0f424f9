import type { Choices } from './choices.ts';
import type { Scenario } from './scenario.ts';
import type { Answer } from './simulated-list.ts';

const STATUSES = ['status 503', 'status 500', 'status 408'] as const;
const LIMITS = ['status 429', 'status 429, Retry-After 7', 'status 429, Retry-After 0'] as const;
const LOSSES = ['no connection', 'answer lost', 'cut', 'stall'] as const;
const BODIES = ['half a page', 'no items', 'no pagination', 'bad UTF-8', 'a web page'] as const;
const LIST_FAULTS = [
  ...STATUSES,
  ...LIMITS,
  ...LOSSES,
  ...BODIES,
  'tokens revoked',
  'another offset',
] as const;
const TOKEN_FAULTS = ['status 503', 'no connection'] as const;

/** What befalls a request. */
export type Fault = (typeof LIST_FAULTS)[number];

/** Draws what befalls a request, null for nothing; a request is known by its name. */
export function createFaults({ faultPercent, mostInRow }: Scenario['network'], { chance, pick }: Choices) {
  const inRow = new Map<string, number>();
  let revoked = 0;
  return (name: string, isList: boolean): Fault | null => {
    const before = inRow.get(name) ?? 0;
    if (before >= (isList ? mostInRow : 1) || !chance(faultPercent)) {
      // a page that is asked for again was refused for its dead cursor: that is one attempt more, and no new beginning
      if (!isList) inRow.delete(name);
      return null;
    }
    const fault: Fault = isList ? pick(LIST_FAULTS) : pick(TOKEN_FAULTS);
    // tokens are scarce: once in a read
    if (fault === 'tokens revoked' && revoked++ > 0) return null;
    inRow.set(name, before + 1);
    return fault;
  };
}

/** What a fault makes of a page. */
export function altered({ status, body }: Answer, fault: Fault): Answer {
  const bodies: Partial<Record<Fault, string>> = {
    'half a page': body.slice(0, body.length >> 1),
    'no items': body.replace('"items"', '"rows"'),
    'no pagination': body.replace('"pagination"', '"paging"'),
    'bad UTF-8': `${body.slice(0, -2)},"x":"\u00ff"}}`,
    'a web page': '<html>signed out</html>',
  };
  return { status, body: bodies[fault] ?? body };
}
