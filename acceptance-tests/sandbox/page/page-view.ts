import { lineForm } from '../digest.ts';
import { catalogue, faultNames } from '../faults/catalogue.ts';
import { lists } from '../lists.ts';
import type { ListName } from '../lists.ts';
import type { LogEntry } from '../request-log.ts';
import type { Row } from '../rows.ts';
import type { ServedScenario } from '../scenario.ts';
import { coverage, listHistory, rangesOf } from './coverage.ts';

/** Requests of a scenario that the page knows, at most. */
const requestsShown = 2000;
const newestRows = 5;

/** Everything that the page shows of a scenario at one moment. */
export type PageView = ReturnType<typeof pageView>;
export type ListView = PageView['lists'][number];

// Only a reader with the config of the fault report comes through the door that refuses.
const faultChoices = faultNames
  .filter((name) => name !== 'connectionRefused')
  .map((name) => ({ name, words: catalogue[name].words, endpoints: catalogue[name].endpoints }));

/** The view of a scenario, with changes since a mark. */
export function pageView(scenario: ServedScenario, worlds: readonly string[], since: number) {
  const { options, mark, faults, tokens, log } = scenario;
  const nowMicros = scenario.nowMicros();
  const read = log.read(requestsShown);
  return {
    worlds,
    endpointNames: ['token' as const, ...scenario.names],
    /** ISO instants: the scenario's clock, and real time, which the requests are told in. */
    now: new Date(nowMicros / 1000).toISOString(),
    realTime: new Date().toISOString(),
    mark,
    lists: scenario.names.map((name) => listView(scenario, name, since, read.last)),
    ...read,
    tokens: tokens.uses(
      scenario.names.map((name) => options.audiences[name]),
      nowMicros,
    ),
    options,
    faults: faults.counts(),
    faultChoices,
  };
}

function listView(scenario: ServedScenario, name: ListName, since: number, asked: readonly LogEntry[]) {
  const { living, textsBy } = scenario.rows[name];
  const { paging } = lists[name];
  const textOf = textsBy(scenario.options);
  const newest = living().slice(-newestRows).toReversed();
  const rows = newest.map((row) => ({
    key: `${name} ${row.number}`,
    created: new Date(row.createdMicros / 1000).toISOString(),
    cameIn: row.birth > since,
    text: lineForm(textOf(row)),
  }));
  const map = paging === 'offset' ? mapView(scenario, name, since, asked) : undefined;
  return { name, paging, count: living().length, newest: rows, map };
}

function mapView(scenario: ServedScenario, name: ListName, since: number, asked: readonly LogEntry[]) {
  const { rows, log, judged } = scenario;
  const cells = listHistory(rows[name], since);
  const where = (isWanted: (cell: Row) => boolean): number[] =>
    cells.flatMap((cell, index) => (isWanted(cell) ? [index] : []));
  const gone = where(({ death }) => Number.isFinite(death));
  const { lost = [], repeated = [], altered = [] } = (judged?.list === name && judged.differences) || {};
  const withId = (ids: readonly string[]) => {
    const wanted = new Set(ids);
    return rangesOf(wanted.size === 0 ? [] : where((cell) => wanted.has(rows[name].idOf(cell))));
  };
  const ofList = asked.filter(({ endpoint }) => endpoint === name);
  return {
    cameIn: rangesOf(where(({ birth }) => birth > since)),
    gone: rangesOf(gone),
    /** What the last verdict found. */
    says: judged?.list === name ? judged.says : undefined,
    judged: { lost: withId(lost), repeated: withId(repeated), altered: withId(altered) },
    /** Living rows among the cells; fewer than all if the list is too long to be shown. */
    shown: cells.length - gone.length,
    coverage: coverage(cells, ofList, log.heldBy),
  };
}
