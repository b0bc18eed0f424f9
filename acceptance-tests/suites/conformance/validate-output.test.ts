import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { outputOf } from '../../support/cut-output.ts';

const full = readFileSync(join(import.meta.dirname, 'messages.jsonl'), 'utf8').split('\n');

/** Whole outputs are valid, as bytes; throws where one is not. */
const messagesIn = (output: string): readonly AirbyteMessage[] =>
  outputOf(Buffer.from(output), true).messages;

/**
 * The line that a word stands for: a status, another kind of message, or STATE with its count (`STATE:2`); of alarms, unless it
 * says something else (`RECORD@assets`).
 */
function lineOf(word: string): string {
  const [, kind = '', count = '0', name = 'alarms'] = /^(\w+)(?::(\d+))?(?:@(\w+))?$/.exec(word) ?? [];
  const isStatus = ['STARTED', 'RUNNING', 'COMPLETE', 'INCOMPLETE'].includes(kind);
  const line = full.find((text) => text.includes(`"type":"${isStatus ? 'STREAM_STATUS' : kind}"`)) ?? '';
  return line
    .replace(/"status":"RUNNING","reasons":\[.*?\]/, `"status":"${kind}"`)
    .replace('"recordCount":0', `"recordCount":${count}`)
    .replace('"alarms"', `"${name}"`);
}

const linesOf = (words: string): string[] => words.split(' ').map(lineOf);
const output = (words: string): string => `${linesOf(words).join('\n')}\n`;

const GOOD = 'STARTED RUNNING RECORD RECORD STATE:2 RECORD STATE:1 COMPLETE';

test.each([
  ['a read', GOOD],
  ['a stream without rows', 'STARTED RUNNING STATE:0 COMPLETE'],
  ['an estimate before and after RUNNING', 'STARTED ESTIMATE RUNNING ESTIMATE STATE:0 COMPLETE'],
  ['RUNNING again', 'STARTED RUNNING RECORD RUNNING STATE:1 COMPLETE'],
  ['a stream that fails before its first page', 'STARTED ERROR INCOMPLETE'],
  ['a stream that fails with rows that no state covers', 'STARTED RUNNING RECORD ERROR INCOMPLETE'],
  ['two streams side by side', `STARTED@assets ${GOOD} INCOMPLETE@assets`],
  ['a failure before any stream', 'LOG ERROR'],
  ['an answer among logs', 'LOG SPEC LOG'],
])('a good output is accepted, message by message: %s', (_, words) => {
  expect(messagesIn(output(words))).toStrictEqual(
    linesOf(words).map((line) => JSON.parse(line) as AirbyteMessage),
  );
});

test.each([
  ['RECORD', 'RECORD, but the stream has not STARTED'],
  ['STARTED RECORD', 'RECORD, but the stream is not RUNNING yet'],
  [`${GOOD} RECORD`, 'RECORD, but the stream has ended'],
  ['STARTED RUNNING RECORD@assets', 'RECORD, but the stream has not'],
  ['STATE:0', 'STATE, but the stream has not STARTED'],
  ['STARTED STATE:0', 'STATE, but the stream is not RUNNING yet'],
  [`${GOOD} STATE:0`, 'STATE, but the stream has ended'],
  ['STARTED STARTED', 'STARTED, but the stream has started already'],
  [`${GOOD} STARTED`, 'STARTED, but the stream has ended already'],
  ['RUNNING', 'RUNNING, but the stream has not STARTED'],
  [`${GOOD} RUNNING`, 'RUNNING, but the stream has ended'],
  ['STARTED COMPLETE', 'COMPLETE, but the stream is not RUNNING yet'],
  ['STARTED RUNNING COMPLETE', 'COMPLETE, but the stream has no STATE'],
  ['STARTED RUNNING STATE:0 RECORD COMPLETE', 'the last rows of the stream (1)'],
  ['INCOMPLETE', 'INCOMPLETE, but the stream has not STARTED'],
  [`${GOOD} INCOMPLETE`, 'INCOMPLETE, but the stream has ended'],
  ['ESTIMATE', 'ESTIMATE, but the stream has not STARTED'],
  [`${GOOD} ESTIMATE`, 'ESTIMATE, but the stream has ended'],
  ['STARTED RUNNING RECORD STATE:2', 'line 4: recordCount is 2, but 1 rows came'],
  ['STARTED RUNNING RECORD STATE:0', 'recordCount is 0, but 1 rows came'],
  ['STARTED RUNNING RECORD STATE:1 RECORD STATE:2', 'recordCount is 2, but 1 rows'],
  [GOOD.replace(' COMPLETE', ''), 'neither COMPLETE nor INCOMPLETE: alarms'],
  ['SPEC CONNECTION_STATUS', 'CONNECTION_STATUS is a second answer'],
  [`${GOOD} SPEC`, 'SPEC in the output of a read'],
  ['CONNECTION_STATUS STARTED', 'STREAM_STATUS after the answer'],
  ['SPEC RECORD', 'RECORD after the answer'],
])('what is out of order is caught: %s', (words, reason) => {
  expect(() => messagesIn(output(words))).toThrow(reason);
});

test.each([
  ['an empty output', '', 'the output is empty'],
  ['a missing newline at the end', output('LOG LOG').slice(0, -1), 'no newline'],
  ['an empty line', output('LOG LOG').replace('\n', '\n\n'), /^line 2: /],
  ['a long line, which is cut', `{"type":"${'x'.repeat(1000)}"}\n`, /^line 1: .*\n\{"type":"x{291}…$/],
])('%s is caught', (_, text, reason) => {
  expect(() => messagesIn(text)).toThrow(reason);
});
