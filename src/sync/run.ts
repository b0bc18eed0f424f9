import type { Selection } from '../protocol/catalog-input.ts';
import { grouped } from '../protocol/messages.ts';
import type { StreamStates } from '../protocol/state-input.ts';
import type { SourceStream } from '../streams/stream.ts';
import { readStream } from './read-stream.ts';
import type { RunContext } from './read-stream.ts';

/** What one run has cost so far: requests to the lists, attempts among them that were repeated, tokens asked for. */
export type Statistics = Record<'requests' | 'retries' | 'tokens', number>;

/** Reads streams side by side and sums up in a last LOG line; true if each is complete, or was cut short as asked. */
export async function runStreams(
  streams: readonly SourceStream[],
  selections: readonly Selection[],
  states: StreamStates,
  statistics: Statistics,
  run: RunContext,
): Promise<boolean> {
  const started = run.clock.now();
  const reading = selections.map((selection) => {
    const stream = streams.find(({ name }) => name === selection.stream) ?? null;
    return readStream(stream, selection, states.get(selection.stream) ?? null, run);
  });
  const results = await Promise.all(reading);
  const told = results.map(
    ({ stream, rows, outcome }) =>
      `${stream} ${grouped(rows)} rows${outcome === 'complete' ? '' : ' (incomplete)'}`,
  );
  const { requests, retries, tokens } = statistics;
  await run.log.info(
    `${told.join(', ') || 'no stream was selected'}; ${requests} requests, ${retries} retries, ` +
      `${tokens} tokens asked for, ${((run.clock.now() - started) / 1000).toFixed(1)} s`,
  );
  return results.every(({ outcome }) => outcome !== 'failed');
}
