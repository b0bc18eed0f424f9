import { lineForm } from '../line-form.ts';
import { faultKinds, faultNames } from '../faults/fault-kinds.ts';
import { lists, type ListName } from '../lists.ts';
import { heldBy, type LogEntry } from '../request-log.ts';
import type { Row } from '../rows.ts';
import type { ServedScenario } from '../scenario.ts';
import { coverage, listHistory, ofLastClient, rangesOf, type Range } from './coverage.ts';

const maxRequests = 2000; // the maximum number of requests that the page receives
const newestRows = 5;

/** Everything that the page shows. */
export type PageView = ReturnType<typeof pageView>;
export type ListView = PageView['lists'][number];

// refused connections require the config of the fault report
const faultChoices = faultNames
  .filter((name) => name !== 'connectionRefused')
  .map((name) => ({ name, title: faultKinds[name].title, endpoints: faultKinds[name].endpoints }));

/** Returns the view of a scenario with its changes since a mark. */
export function pageView(scenario: ServedScenario, worlds: readonly string[], since: number) {
  const { names, options, mark, faults, tokens } = scenario;
  const nowMicros = scenario.nowMicros();
  const log = scenario.log.read(maxRequests);
  const modules = names.map((name) => options.audiences[name]);
  return {
    worlds,
    endpointNames: ['token' as const, ...names],
    /** The scenario's clock. The times of requests are real time. */
    now: new Date(nowMicros / 1000).toISOString(),
    realTime: new Date().toISOString(),
    mark,
    lists: names.map((name) => listView(scenario, name, since, ofLastClient(log.last))),
    ...log,
    tokens: tokens.uses(modules, nowMicros),
    options,
    faults: faults.counts(),
    faultChoices,
  };
}

function listView(scenario: ServedScenario, name: ListName, since: number, requests: readonly LogEntry[]) {
  const { present, idOf, textsBy } = scenario.rows[name];
  const textOf = textsBy(scenario.options);
  const newest = present().slice(-newestRows).toReversed();
  const ofList = requests.filter(({ endpoint }) => endpoint === name);
  const near = ofList.map((request) => heldBy(request).at(-1)).findLast((row) => row !== undefined);
  const cells = listHistory(scenario.rows[name], since, near);
  const where = (matches: (cell: Row) => boolean): Range[] =>
    rangesOf(cells.flatMap((cell, index) => (matches(cell) ? [index] : [])));
  const judged = scenario.judged[name];
  const withId = (ids: readonly string[] = []): Range[] => {
    const set = new Set(ids);
    return set.size === 0 ? [] : where((cell) => set.has(idOf(cell)));
  };
  const { lost, repeated, altered } = judged?.differences ?? {};
  const [first] = cells.filter(({ until }) => !Number.isFinite(until));
  return {
    name,
    paging: lists[name].paging,
    count: present().length,
    newest: newest.map((row) => ({
      key: `${name} ${row.number}`,
      created: new Date(row.createdMicros / 1000).toISOString(),
      isNew: row.from > since,
      text: lineForm(textOf(row)),
    })),
    inserted: where(({ from }) => from > since),
    deleted: where(({ until }) => Number.isFinite(until)),
    /** The number of rows that are newer than those shown. */
    newer: first === undefined ? 0 : present().length - 1 - present().lastIndexOf(first),
    shown: cells.filter(({ until }) => !Number.isFinite(until)).length,
    says: judged?.says,
    judged: { lost: withId(lost), repeated: withId(repeated), altered: withId(altered) },
    coverage: coverage(cells, ofList, heldBy),
  };
}
