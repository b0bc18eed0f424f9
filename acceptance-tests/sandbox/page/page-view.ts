import { lineForm } from '../digest.ts';
import { catalogue, faultNames } from '../faults/catalogue.ts';
import { listNames, lists, type ListName } from '../lists.ts';
import type { ServedScenario } from '../scenario.ts';
import { coverage, indexesOf, listHistory, rangesOf, type ListHistory, type Numbered } from './coverage.ts';

/** Requests of a scenario that the page knows, at most. */
const requestsShown = 2000;
const newestRows = 5;

/** Everything that the page shows of a scenario at one moment. */
export type PageView = ReturnType<typeof pageView>;
export type ListView = PageView['lists'][number];
export type MapView = ReturnType<typeof mapView>;

// Only a reader with the config of the fault report comes through the door that refuses.
const faultChoices = faultNames
  .filter((name) => name !== 'connectionRefused')
  .map((name) => ({ name, words: catalogue[name].words, endpoints: catalogue[name].endpoints }));

/** The view of a scenario, with changes since a mark. */
export function pageView(scenario: ServedScenario, worlds: readonly string[], since: number) {
  const { options, mark, faults, tokens } = scenario;
  const nowMicros = scenario.nowMicros();
  const { endpoints, last } = scenario.log.read(requestsShown);
  const ended = Object.values(endpoints).reduce((sum, { count }) => sum + count, 0);
  const requests = last.map((entry, index) => ({ ...entry, number: ended - last.length + index }));
  return {
    worlds,
    /** ISO instants: the scenario's clock, and real time, which the requests are told in. */
    now: new Date(nowMicros / 1000).toISOString(),
    realTime: new Date().toISOString(),
    mark,
    lists: listNames.map((name) => listView(scenario, name, since, requests)),
    endpoints,
    requests,
    tokens: tokens.uses(options, nowMicros),
    options,
    faults: faults.counts(),
    faultChoices,
  };
}

function listView(scenario: ServedScenario, name: ListName, since: number, requests: readonly Numbered[]) {
  const rows = scenario.rows[name];
  const living = rows.living();
  const textOf = rows.textsBy(scenario.options);
  const newest = living.slice(-newestRows).toReversed();
  const shown = newest.map((row) => ({
    key: `${name} ${row.number}`,
    created: new Date(row.createdMicros / 1000).toISOString(),
    cameIn: row.birth > since,
    text: lineForm(textOf(row)),
  }));
  const asked = requests.filter(({ endpoint }) => endpoint === name);
  const { paging } = lists[name];
  const map = paging === 'offset' ? mapView(listHistory(rows, since), asked, since) : undefined;
  return { name, paging, count: living.length, newest: shown, map };
}

function mapView(history: ListHistory, asked: readonly Numbered[], since: number) {
  const { cells } = history;
  const gone = indexesOf(cells, ({ death }) => Number.isFinite(death));
  return {
    cameIn: rangesOf(indexesOf(cells, ({ birth }) => birth > since)),
    gone: rangesOf(gone),
    /** Living rows among the cells; fewer than all if the list is too long to be shown. */
    shown: cells.length - gone.length,
    coverage: coverage(history, asked),
  };
}
