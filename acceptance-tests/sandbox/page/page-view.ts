import { lineForm } from '../digest.ts';
import { catalogue, faultNames } from '../faults/catalogue.ts';
import { listNames, lists, type ListName } from '../lists.ts';
import type { ServedScenario } from '../scenario.ts';
import { coverage, listHistory, rangesOf, type ListHistory, type Numbered } from './coverage.ts';

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
  const options = scenario.options();
  const nowMicros = scenario.nowMicros();
  const { endpoints, last } = scenario.log.read(requestsShown);
  const ended = Object.values(endpoints).reduce((sum, { count }) => sum + count, 0);
  const requests = last.map((entry, index) => ({ ...entry, number: ended - last.length + index }));
  const { plans, hits } = scenario.faults.counts();
  return {
    world: scenario.id,
    worlds,
    /** ISO instants: the scenario's clock, and real time, which the requests are told in. */
    now: new Date(nowMicros / 1000).toISOString(),
    realTime: new Date().toISOString(),
    mark: scenario.mark(),
    lists: listNames.map((name) => listView(scenario, name, since, requests)),
    endpoints,
    requests,
    tokens: scenario.tokens.uses(options, nowMicros),
    options,
    faults: { plans, hits },
    faultChoices,
  };
}

function listView(scenario: ServedScenario, name: ListName, since: number, requests: readonly Numbered[]) {
  const { list, idOf, render } = scenario.rows[name];
  const { paging } = lists[name];
  const text = render(scenario.options());
  const newest = Array.from({ length: Math.min(newestRows, list.size()) }, (_, position) => {
    const index = list.size() - 1 - position;
    const created = list.createdMicros(index);
    return {
      id: idOf(list.row(index)),
      created: new Date(created / 1000).toISOString(),
      cameIn: list.birth(index) > since,
      text: lineForm(text(list.row(index), created)),
    };
  });
  const asked = requests.filter(({ endpoint }) => endpoint === name);
  const map = paging === 'offset' ? mapView(listHistory(list, since), asked, since) : undefined;
  return { name, paging, count: list.size(), newest, map };
}

function mapView(history: ListHistory, asked: readonly Numbered[], since: number) {
  const { cells } = history;
  const indexes = [...cells.keys()];
  const gone = indexes.filter((index) => Number.isFinite(cells[index]?.death));
  return {
    cameIn: rangesOf(indexes.filter((index) => (cells[index]?.birth ?? 0) > since)),
    gone: rangesOf(gone),
    /** Living rows among the cells; fewer than all if the list is too long to be shown. */
    shown: cells.length - gone.length,
    coverage: coverage(history, asked),
  };
}
