import type { Choices } from './choices.ts';
import { ANSWERS } from './answers.ts';
import type { ValueOf } from './answers.ts';
import type { Scenario } from './scenario.ts';
import type { Answer } from './simulated-list.ts';

const TOKEN_FAULTS = ['status 503', 'no connection'] as const;

/** What befalls a request. */
export type Fault = ValueOf<'fault'>;

/** Draws what befalls a request, null for nothing; a request is known by its name. */
export function createFaults({ faultPercent, maxInRow }: Scenario['network'], { chance, pick }: Choices) {
  const inRow = new Map<string, number>();
  let revoked = 0;
  return (name: string, isList: boolean): Fault | null => {
    const before = inRow.get(name) ?? 0;
    if (before >= (isList ? maxInRow : 1) || !chance(faultPercent)) {
      // a page that is asked for again was refused for its dead cursor: that is one attempt more, and no new beginning
      if (!isList) inRow.delete(name);
      return null;
    }
    const fault: Fault = isList ? (pick(ANSWERS.fault).answer as Fault) : pick(TOKEN_FAULTS);
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
