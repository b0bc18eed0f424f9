import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOutputValidator, outputOf } from './validate-output.ts';

const full = readFileSync(join(import.meta.dirname, 'messages.jsonl'), 'utf8').split('\n');

/** The line for a status, another type of message, or a STATE with its count (`STATE:2`), of alarms or `@assets`. */
function lineOf(word: string): string {
  const [, kind = '', count = '0', name = 'alarms'] = /^(\w+)(?::(\d+))?(?:@(\w+))?$/.exec(word) ?? [];
  const isStatus = ['STARTED', 'RUNNING', 'COMPLETE', 'INCOMPLETE'].includes(kind);
  const line = full.find((text) => text.includes(`"type":"${isStatus ? 'STREAM_STATUS' : kind}"`)) ?? '';
  return line
    .replace(/"status":"RUNNING","reasons":\[.*?\]/, `"status":"${kind}"`)
    .replace('"recordCount":0', `"recordCount":${count}`)
    .replace('"alarms"', `"${name}"`);
}

const output = (words: string): string => `${words.split(' ').map(lineOf).join('\n')}\n`;
const validate = (text: string) => outputOf(Buffer.from(text), true).lines.join('\n');

const GOOD = 'STARTED RUNNING RECORD RECORD STATE:2 RECORD STATE:1 COMPLETE';

test.each([
  ['a read', GOOD],
  ['a stream without rows', 'STARTED RUNNING STATE:0 COMPLETE'],
  ['estimates, and RUNNING again', 'STARTED ESTIMATE RUNNING ESTIMATE RECORD RUNNING STATE:1 COMPLETE'],
  ['a stream that fails before its first page', 'STARTED ERROR INCOMPLETE'],
  ['a stream that then keeps its state', 'STARTED ERROR STATE:0 INCOMPLETE'],
  ['a stream that fails with rows that no state covers', 'STARTED RUNNING RECORD ERROR INCOMPLETE'],
  ['two streams side by side', `STARTED@assets ${GOOD} INCOMPLETE@assets`],
  ['a failure before any stream', 'LOG ERROR'],
  ['an answer among logs', 'LOG SPEC LOG'],
])('a valid output is accepted: %s', (_, words) => {
  expect(`${validate(output(words))}\n`).toBe(output(words));
});

const EVENTS = 'STARTED ESTIMATE RUNNING RECORD STATE:0 COMPLETE INCOMPLETE'.split(' ');

test.each([
  ['not STARTED', 'LOG STARTED@assets RUNNING@assets', 'STARTED'],
  ['only STARTED', 'STARTED', 'ESTIMATE RUNNING STATE:0 INCOMPLETE'],
  ['RUNNING', 'STARTED RUNNING STATE:0', 'ESTIMATE RUNNING RECORD STATE:0 COMPLETE INCOMPLETE'],
  ['ended', GOOD, ''],
  ['ended', 'STARTED INCOMPLETE', ''],
])('a stream that is %s (%s) may continue with: %s', (phase, before, may) => {
  for (const event of EVENTS) {
    const { line } = createOutputValidator();
    for (const word of before.split(' ')) line(lineOf(word));
    const next = () => line(lineOf(event));
    if (may.split(' ').includes(event)) expect(next()).toHaveProperty('type');
    else expect(next).toThrow(`${event.replace(':0', '')}, but the stream is ${phase}`);
  }
});

test.each([
  ['STARTED RUNNING COMPLETE', 'COMPLETE, but the stream has no STATE'],
  ['STARTED RUNNING STATE:0 RECORD COMPLETE', 'COMPLETE, but 1 rows'],
  ['STARTED RUNNING RECORD STATE:2', 'line 4: recordCount is 2, but 1 rows came'],
  ['STARTED RUNNING RECORD STATE:0', 'recordCount is 0, but 1 rows came'],
  ['STARTED RUNNING RECORD STATE:1 RECORD STATE:2', 'recordCount is 2, but 1 rows'],
  [GOOD.replace(' COMPLETE', ''), 'neither COMPLETE nor INCOMPLETE: alarms'],
  ['SPEC CONNECTION_STATUS', 'CONNECTION_STATUS after SPEC'],
  [`${GOOD} SPEC`, 'SPEC in the output of a read'],
  ['CONNECTION_STATUS STARTED', 'TRACE after CONNECTION_STATUS'],
  ['SPEC RECORD', 'RECORD after SPEC'],
])('an invalid sequence is rejected: %s', (words, reason) => {
  expect(() => validate(output(words))).toThrow(reason);
});

test.each([
  ['an empty output', '', 'the output is empty'],
  ['a missing newline at the end', output(GOOD).slice(0, -1), 'no newline'],
  ['an empty line', output('LOG LOG').replace('\n', '\n\n'), /^line 2: /],
  ['a long line, which is cut', `{"type":"${'x'.repeat(1000)}"}\n`, /^line 1: .*\n\{"type":"x{291}…$/],
])('%s is rejected', (_, text, reason) => {
  expect(() => validate(text)).toThrow(reason);
});

test.each([
  ['a truncated line is ignored', 'STARTED RUNNING RECORD STATE:1', 2, 3],
  ['a STATE without its newline is accepted', 'STARTED RUNNING RECORD STATE:1', 1, 4],
  ['a RECORD without its newline is ignored', 'STARTED RUNNING RECORD', 1, 2],
])('output of a killed process: %s', (_, words, missing, lines) => {
  const text = output(words).slice(0, -missing);
  expect(outputOf(Buffer.from(text), false).messages).toHaveLength(lines);
  expect(() => outputOf(Buffer.from(output('STARTED RECORD')), false)).toThrow('only STARTED');
});
