import type { Choices } from './choices.ts';
import { ANSWERS, type ValueOf } from './answers.ts';
import type { Scenario } from './scenario.ts';
import type { Answer } from './simulated-list.ts';

const TOKEN_FAULTS = ['status 503', 'no connection'] as const;

/** Pages of another shape. */
const OTHER_SHAPES: readonly Fault[] = ['no items', 'no pagination'];

/** What happens to a request. */
export type Fault = ValueOf<'fault'>;

/** Returns a function that draws the fault of a request, or null. */
export function createFaults({ faultPercent, maxInRow }: Scenario['network'], { chance, pick }: Choices) {
  const inRow = new Map<string, number>();
  const otherShapes = new Set<string>();
  let wasRevoked = false;
  return (name: string, isList: boolean): Fault | null => {
    const before = inRow.get(name) ?? 0;
    if (before >= (isList ? maxInRow : 1) || !chance(faultPercent)) {
      // a page is requested again because its cursor had expired, which is one more attempt
      if (!isList) inRow.delete(name);
      return null;
    }
    const drawn: Fault = isList ? (pick(ANSWERS.fault).answer as Fault) : pick(TOKEN_FAULTS);
    // a second one in a row on the first page is permanent
    const fault = otherShapes.has(name) && OTHER_SHAPES.includes(drawn) ? 'status 503' : drawn;
    if (OTHER_SHAPES.includes(fault)) otherShapes.add(name);
    // tokens are scarce: once per read
    if (fault === 'tokens revoked' && wasRevoked) return null;
    wasRevoked ||= fault === 'tokens revoked';
    inRow.set(name, before + 1);
    return fault;
  };
}

/** A page as a fault alters it. */
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
