/* What a world promises: which rows a read must find, what it says, and how it may fail. */
import { HOUR } from '../instant.ts';
import type { ModelConfig, ModelState } from './model-reads.fake.ts';
import { instantAt, type ModelRow } from './model-server.fake.ts';
import { runsAhead, runsBehind, type World } from './model-worlds.fake.ts';

/** Whether a row is promised: it appeared within the lookback, and is not before the start date. */
export function isExpected(
  { visible, bounded, created }: ModelRow,
  { latest, kind }: World,
  lowest: number,
): boolean {
  const lag = kind === 'lagging replicas' ? 30 : 0;
  return visible - bounded + lag <= latest && (created ?? bounded) >= lowest;
}

/** Returns a check of what a read from a state must have done at its end. */
export function promisesOf(world: World, config: ModelConfig, state: ModelState) {
  const promised = promisedAtOnce(world, config);
  const mustWarn = showsIgnoredBound(world, state);
  return (emitted: ReadonlySet<string>, said: ReadonlySet<string>): readonly string[] => {
    const missing = promised
      .filter((text) => !emitted.has(text))
      .map((text) => `${text} is not read at once`);
    return mustWarn && !said.has('bound ignored') ? [...missing, 'no word about an ignored bound'] : missing;
  };
}

/** Returns the rows that a read must find, unless it is stopped, because the list shows them all the time. */
function promisedAtOnce(world: World, { start = -Infinity, end = Infinity }: ModelConfig): readonly string[] {
  const { server, kind, order } = world;
  const { falseEnds, lag, death, cursorLife } = server.options;
  // where old cursors are answered with an empty last page, its end is believed at last
  const mayEndEarly = falseEnds > 0 || lag > 0 || (death === 'empty' && cursorLife < Infinity);
  if (mayEndEarly || runsAhead(kind) || order === 'older half last') return [];
  const rows = server.visible().filter((row) => isExpected(row, world, start));
  // behind the end date, a row may stand that shows an earlier time
  return rows
    .filter(({ created, bounded }) => Math.max(created ?? bounded, bounded) <= end)
    .map(({ text }) => text);
}

/** Returns whether a read must say that the server does not know `createdSince`, because its first page has only rows from long before. */
function showsIgnoredBound({ server, kind, order, pageSize }: World, { question }: ModelState): boolean {
  const { shortPages } = server.options;
  if (kind !== 'createdSince ignored' || order !== 'ascending' || shortPages > 0) return false;
  const first = server.visible().slice(0, pageSize ?? server.options.pageSize);
  const since = question - HOUR;
  return first.length > 0 && first.every(({ created }) => created !== null && instantAt(created) < since);
}

/** Returns whether something in a world is a reason to say an event. */
export function isExplained(
  event: string,
  { kind, order, server: { options } }: World,
  { hadFalseEnds }: { readonly hadFalseEnds: boolean },
): boolean {
  const isInOrder = order === 'ascending' || order === 'arrival';
  const isIgnored = kind === 'createdSince ignored';
  // an old cursor that shows the first page again looks like another order
  const restarts = options.death.startsWith('first page');
  if (event === 'bound ignored') return isIgnored;
  // a first page that has rows from before the bound and after it, or is empty, does not tell that the bound is ignored
  if (event === 'may repeat')
    return isIgnored || kind === 'few rows in a state' || runsBehind(kind) || restarts;
  if (event === 'unreturned')
    return hadFalseEnds || runsAhead(kind) || kind === 'lagging replicas' || order === 'older half last';
  const mayShrink = options.mostRows < Infinity || options.outages > 0;
  // late rows may fill a small page
  if (event === 'question unanswered' && (hadFalseEnds || mayShrink || options.pageSize === 1)) return true;
  if (event === 'question unanswered') return runsAhead(kind) || isIgnored || order === 'older half last';
  if (event === 'order broken' || event === 'no order')
    return !isInOrder || runsAhead(kind) || runsBehind(kind) || kind === 'rows that come late' || restarts;
  if (event === 'page size') return mayShrink || options.death === 'broken';
  return true;
}

/** Returns whether a server gives a reason to fail in this way; `isSlow`: cursors become old between its responses. */
export function mayFail(
  error: string,
  { refusals, refusesEmpty, death, cursorLife }: World['server']['options'],
  isSlow: boolean,
): boolean {
  // the writer stalls now and then, so cursors die in any read
  const mayDie = isSlow || cursorLife < Infinity;
  if (error === 'Error: cursors expire') return mayDie || refusals > 0;
  if (error === 'Error: the same page') return mayDie && death.startsWith('first page');
  if (error === 'Error: broke') return mayDie && death === 'broken';
  return error === 'Error: refused, which is not expected' && refusesEmpty;
}
