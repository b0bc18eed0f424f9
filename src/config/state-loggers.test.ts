import { expect, test } from 'vitest';
import { StateFormError } from './state-forms.ts';
import { statesInLines } from './state-input.ts';

async function take(lines: readonly string[]): Promise<object> {
  const { states, truncatedLines, isOutput } = await statesInLines(lines, ['assets', 'alarms']);
  expect(isOutput).toBe(true);
  return { states, truncatedLines };
}

function state(stream: string, n: number): string {
  return JSON.stringify({
    type: 'STATE',
    state: { type: 'STREAM', stream: { stream_descriptor: { name: stream }, stream_state: { n } } },
  });
}

const LOG = '{"type":"LOG","log":{"level":"INFO","message":"x"}}';
const RECORD = '{"type":"RECORD","record":{"stream":"assets","emitted_at":1,"data":{}}}';
const one = new Map([['assets', { n: 1 }]]);
const two = new Map([['assets', { n: 2 }]]);

test.each([
  '{"level":30,"time":1780315200000,"pid":7,"msg":"started","req":{"id":1,"headers":{}}}',
  '{"level":"info","ts":1780315200.1,"caller":"main.go:1","msg":"{\\"a\\":[1]}"}',
  '{"type":"request","stream":"alarms","state":"ok","data":{"rows":{"assets":5,"alarms":10}}}',
  '{"log":"npm notice\\n","stream":"stdout","time":"t"}',
  '2026-01-01T00:00:00.123456789Z stdout F {"level":30,"msg":"started"}',
  '[2026-01-01, 00:00:01 UTC] {docker.py:413} INFO - {"level":30,"msg":"started"}',
  '{}',
  '[]',
  '[1,"a",{}]',
  '5',
  'null',
  '"started"',
])('JSON of a logger between messages is skipped: %s', async (line) => {
  const lines = [LOG, state('assets', 1), RECORD];
  for (let at = 0; at <= lines.length; at++)
    expect(await take(lines.toSpliced(at, 0, line, line))).toStrictEqual({ states: one, truncatedLines: 0 });
  const cut = state('assets', 2).slice(0, 40);
  const found = await take([...lines, cut, line]);
  expect(found).toStrictEqual({ states: one, truncatedLines: 1 });
  // a message may follow on the same line
  expect(await take([...lines, `${line}${state('assets', 2)}`]).catch(() => null)).toStrictEqual(
    /[\]"]$/.test(line) ? null : { states: two, truncatedLines: 0 },
  );
});

test.each([
  '{"alarms":{"created_since":"W"}}',
  '{"alarms":"{}","cdc":false}',
  '{"created_since":"W"}',
  '{"stream_descriptor":{"name":"assets"},"stream_state":{}}',
  '{"stateType":"stream","streamState":[{"streamDescriptor":{"name":"assets"}}]}',
  '{"data":{"assets":{}}}',
  '{"msg":"saved","state":{"alarms":{}}}',
  '{"type":"STAGE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"assets"}}}}',
  '[{"bookmarks":{"trips":{"created_since":"W"}}}]',
  JSON.stringify(state('assets', 2)),
  '2026-01-01T00:00:00Z {"alarms":{}}',
  '{"level":30,"msg":"st',
])('JSON between messages that may be a state is an error: %s', async (line) => {
  await expect(take([LOG, state('assets', 1), line, LOG])).rejects.toThrow(
    'line 3: neither a line of saved output nor part of a whole JSON document',
  );
});

test('JSON of a logger is no output', async () => {
  for (const lines of [['{"level":30}'], ['{"level":30}', state('assets', 1).slice(0, -1)]])
    await expect(take(lines)).rejects.toThrow(StateFormError);
});
