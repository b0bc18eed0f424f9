import { catalogue } from '../../sandbox/faults/catalogue.ts';
import { faultNames } from '../../sandbox/client.ts';
import { predefinedNames } from '../../sandbox/lists.ts';
import type {
  EndpointName,
  FaultName,
  FaultPlace,
  FaultPlan,
  FaultPlans,
  ListName,
} from '../../sandbox/client.ts';
import { isDefinite, passing, staying } from './fault-expectations.ts';

/** One cell of the matrix: a fault of an endpoint that passes or stays, and what is right then. */
export type Cell = ReturnType<typeof cellOf>;
type Form = 'passing' | 'permanent';

const PLACES = ['first', 'middle', 'last', 'random'] as const;

/**
 * The whole matrix, or a cover in which each fault meets each endpoint in both forms at one place. One read has one cell, or two
 * that are right only if neither touches the other.
 */
export function cellRuns(whole: boolean): (readonly Cell[])[] {
  return faultNames.flatMap((fault, index) => {
    const { endpoints } = catalogue[fault];
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

/** The fault stays at one list while it passes at the other, if the other is to come through that; and the other way round. */
function listRuns(fault: FaultName, lists: readonly ListName[], turn: number): Cell[][] {
  return lists.flatMap((list) => {
    const beside = lists.find((other) => other !== list);
    const stays = listCell(fault, list, 'permanent', turn + 2);
    const passes = listCell(fault, beside ?? list, 'passing', turn);
    // a token that one list refuses is the other one's too
    const isApart = fault === 'status401' || passes.expected.endings.join() !== 'exact';
    return beside === undefined || isApart ? [[stays], [passes]] : [[stays, passes]];
  });
}

function listCell(fault: FaultName, list: ListName, form: Form, turn: number): Cell {
  const wanted = PLACES[(list === 'assets' ? turn : turn + 1) % PLACES.length] ?? 'first';
  // before the first page there is no cursor to come back to, and not every page has one before that
  const isLoop = fault === 'cursorRepeated' || fault === 'cursorAlternating';
  // what stays at random is no fault that stays
  const isUnfit = wanted === 'random' ? isLoop || form === 'permanent' : isLoop && wanted === 'first';
  return cellOf(fault, list, form, isUnfit ? 'middle' : wanted);
}

/** What the endpoints do in a read. */
export function plansOf(cells: readonly Cell[]): FaultPlans {
  const plan = ({ fault, form, at }: Cell): FaultPlan => {
    if (form === 'permanent' || at === 'random') return { fault, at, times: null };
    // what may be an answer is asked for once more, and so is a token, whose issuance is scarce
    return { fault, at, times: at === 'any' || isDefinite(fault) ? 1 : 2 };
  };
  return Object.fromEntries(cells.map((cell) => [cell.endpoint, plan(cell)]));
}

/** What a read is called. */
export const nameOf = (cells: readonly Cell[]): string =>
  cells
    .map(({ fault, endpoint, form, at }) => `${catalogue[fault].title}, ${endpoint}, ${at} (${form})`)
    .join(' beside ');
