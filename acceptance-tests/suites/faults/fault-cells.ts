import { faultKinds } from '../../sandbox/faults/fault-kinds.ts';
import { faultNames } from '../../sandbox/client.ts';
import { predefinedNames } from '../../sandbox/lists.ts';
import type { EndpointName, ListName } from '../../sandbox/client.ts';
import type { FaultName, FaultPlace, FaultPlan, FaultPlans } from '../../sandbox/client.ts';
import { isDefinite, passing, staying } from './fault-expectations.ts';

/** One cell of the matrix: a passing or permanent fault of an endpoint, and the expected outcome. */
export type Cell = ReturnType<typeof cellOf>;
type Form = 'passing' | 'permanent';

const PLACES = ['first', 'middle', 'last', 'random'] as const;

/**
 * The whole matrix, or a cover with each fault at each endpoint in both forms, at one place. A read has one cell, or two that must
 * not affect each other.
 */
export function cellRuns(whole: boolean): (readonly Cell[])[] {
  return faultNames.flatMap((fault, index) => {
    const { endpoints } = faultKinds[fault];
    const ofToken = endpoints.includes('token')
      ? [[cellOf(fault, 'token', 'passing', 'any')], [cellOf(fault, 'token', 'permanent', 'any')]]
      : [];
    const turns = whole ? PLACES.map((_, turn) => turn) : [index];
    const lists = predefinedNames.filter((name) => endpoints.includes(name));
    return [...ofToken, ...turns.flatMap((turn) => listRuns(fault, lists, turn))];
  });
}

function cellOf(fault: FaultName, endpoint: EndpointName, form: Form, at: FaultPlace) {
  const expected = form === 'permanent' ? staying(fault, endpoint, at) : passing(fault, endpoint, at);
  return { fault, endpoint, form, at, expected };
}

/** The fault is permanent at one list, and passes at the other in the same read if that does not fail it. */
function listRuns(fault: FaultName, lists: readonly ListName[], turn: number): Cell[][] {
  return lists.flatMap((list) => {
    const sibling = lists.find((other) => other !== list);
    const stays = listCell(fault, list, 'permanent', turn + 2);
    const passes = listCell(fault, sibling ?? list, 'passing', turn);
    // both lists use the same token
    const isApart = fault === 'status401' || passes.expected.endings.join() !== 'exact';
    return sibling === undefined || isApart ? [[stays], [passes]] : [[stays, passes]];
  });
}

function listCell(fault: FaultName, list: ListName, form: Form, turn: number): Cell {
  const wanted = PLACES[(list === 'assets' ? turn : turn + 1) % PLACES.length] ?? 'first';
  // before the first page there is no cursor to repeat, and not before every random page
  const isLoop = fault === 'cursorRepeated' || fault === 'cursorAlternating';
  // a random fault is not permanent
  const isUnfit = wanted === 'random' ? isLoop || form === 'permanent' : isLoop && wanted === 'first';
  return cellOf(fault, list, form, isUnfit ? 'middle' : wanted);
}

/** The faults of the endpoints in a read. */
export function plansOf(cells: readonly Cell[]): FaultPlans {
  const plan = ({ fault, form, at }: Cell): FaultPlan => {
    if (form === 'permanent' || at === 'random') return { fault, at, times: null };
    // a doubtful response is requested once more, and so is a token, because tokens are scarce
    return { fault, at, times: at === 'any' || isDefinite(fault) ? 1 : 2 };
  };
  return Object.fromEntries(cells.map((cell) => [cell.endpoint, plan(cell)]));
}

export const nameOf = (cells: readonly Cell[]): string =>
  cells
    .map(({ fault, endpoint, form, at }) => `${faultKinds[fault].title}, ${endpoint}, ${at} (${form})`)
    .join(' and ');
