import type { EndpointName, EndpointSummary, ListName } from '../client-types.ts';
import { renderer } from '../data/render.ts';
import { rowId } from '../data/row-id.ts';
import { lineForm } from '../digest.ts';
import type { Knobs } from '../knobs/knobs.ts';
import type { TokenUse } from '../tokens/token-desk.ts';
import type { SandboxWorld } from '../worlds/world.ts';
import { coverage, type Coverage, type Numbered } from './coverage.ts';
import { listHistory, type Cell } from './list-history.ts';

/** Requests of a read that are laid over the list, at most, and those that one view brings, at most. */
const requestsLaid = 2000;
const requestsBrought = 400;
const newestRows = 5;

/** A row for people: its text is the one on the pages of the API, in one line. */
export interface NewRow {
  readonly id: string;
  /** ISO instant. */
  readonly created: string;
  /** Whether it came in since the mark that the view begins with. */
  readonly cameIn: boolean;
  readonly text: string;
}

/** One list of a world: how many rows it holds, and the newest of them, newest first. */
export interface ListView {
  readonly count: number;
  readonly newest: readonly NewRow[];
}

/** Everything that the page shows of a world at one moment. */
export interface PageView {
  readonly world: string;
  /** Ids of all worlds. */
  readonly worlds: readonly string[];
  /** ISO instants: the world's clock, and real time, which the requests are told in. */
  readonly now: string;
  readonly realTime: string;
  readonly mark: number;
  readonly alarms: ListView;
  readonly assets: ListView & {
    /** Indexes of the cells whose rows came in since the mark, and of those whose rows are gone. */
    readonly cameIn: readonly number[];
    readonly gone: readonly number[];
    /** Living rows that are among the cells; fewer than `count` if the list is too long to be shown. */
    readonly shown: number;
    readonly coverage: Coverage;
  };
  readonly requests: {
    /** Requests that have ended since the log was cleared: the number that the next one gets. */
    readonly ended: number;
    readonly endpoints: Readonly<Record<EndpointName, EndpointSummary>>;
    readonly entries: readonly Numbered[];
  };
  readonly tokens: readonly TokenUse[];
  readonly knobs: Pick<Knobs, 'latencyMs' | 'assetsLimitCap' | 'tokenLimits'>;
}

/** What a view is asked for: changes since a mark, and requests from a number on. */
export interface ViewRequest {
  readonly since: number;
  readonly requestsFrom: number;
}

/** The view of a world. Where more requests have ended than it can bring, it brings the last ones. */
export function pageView(world: SandboxWorld, worlds: readonly string[], request: ViewRequest): PageView {
  const { since, requestsFrom } = request;
  const knobs = world.knobs();
  const nowMicros = world.clock.nowMicros();
  const { from, cells } = listHistory(world.assets.list, since);
  const { endpoints, last } = world.log.read(requestsLaid);
  const ended = Object.values(endpoints).reduce((sum, { count }) => sum + count, 0);
  const requests = last.map((entry, index) => ({ ...entry, number: ended - last.length + index }));
  const indexes = (wanted: (cell: Cell) => boolean): number[] =>
    cells.flatMap((cell, index) => (wanted(cell) ? [index] : []));
  const gone = indexes(({ death }) => Number.isFinite(death));
  // A number that has not been reached is one of before the log was cleared.
  const first = requestsFrom > ended ? 0 : requestsFrom;
  return {
    world: world.id,
    worlds,
    now: new Date(nowMicros / 1000).toISOString(),
    realTime: new Date().toISOString(),
    mark: world.marks.current(),
    alarms: listView(world, 'alarms', since),
    assets: {
      ...listView(world, 'assets', since),
      cameIn: indexes(({ birth }) => birth > since),
      gone,
      shown: cells.length - gone.length,
      coverage: coverage(cells, requests, from),
    },
    requests: {
      ended,
      endpoints,
      entries: requests.filter(({ number }) => number >= first).slice(-requestsBrought),
    },
    tokens: world.tokens.uses(knobs, nowMicros),
    knobs: {
      latencyMs: knobs.latencyMs,
      assetsLimitCap: knobs.assetsLimitCap,
      tokenLimits: knobs.tokenLimits,
    },
  };
}

function listView(world: SandboxWorld, kind: ListName, since: number): ListView {
  const { list } = world[kind];
  const text = renderer(kind, world.seed, world.firstAssets, world.knobs());
  const newest = Array.from({ length: Math.min(newestRows, list.size()) }, (_, position): NewRow => {
    const index = list.size() - 1 - position;
    const created = list.createdMicros(index);
    return {
      id: rowId(world.seed, kind, list.row(index)),
      created: new Date(created / 1000).toISOString(),
      cameIn: list.birth(index) > since,
      text: lineForm(text(list.row(index), created)),
    };
  });
  return { count: list.size(), newest };
}
