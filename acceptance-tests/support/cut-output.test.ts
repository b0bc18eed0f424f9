import { expect, test } from 'vitest';
import { outputOf } from './cut-output.ts';

const descriptor = '"stream_descriptor":{"name":"assets"}';
const at = '"emitted_at":1600000000000';
const status = (word: string): string =>
  `{"type":"TRACE","trace":{"type":"STREAM_STATUS",${at},"stream_status":{${descriptor},"status":"${word}"}}}`;
const state = `{"type":"STATE","state":{"type":"STREAM","stream":{${descriptor},"stream_state":{}},"sourceStats":{"recordCount":1}}}`;
const record = `{"type":"RECORD","record":{"stream":"assets",${at},"data":{"a":1}}}`;
const head = `${status('STARTED')}\n${status('RUNNING')}\n`;
const whole = `${head}${record}\n${state}\n${status('COMPLETE')}\n`;

test.each<[what: string, output: string, hasEnded: boolean, found: number | RegExp]>([
  ['a cut line tells nothing', `${head}${record}\n${state.slice(0, -1)}`, false, 3],
  ['a STATE without its newline counts', `${head}${record}\n${state}`, false, 4],
  ['a RECORD without its newline does not', `${head}${record}`, false, 2],
  ['what has ended is whole', whole, true, 5],
  ['what has ended has all of its last line', whole.slice(0, -1), true, /no newline/],
  ['what has ended says so of each stream', head, true, /neither COMPLETE nor INCOMPLETE/],
  ['whole lines keep the rules', `${head}${state}\n`, false, /recordCount/],
])('%s', (_, output, hasEnded, found) => {
  const messages = (): number => outputOf(Buffer.from(output), hasEnded).messages.length;
  if (typeof found === 'number') expect(messages()).toBe(found);
  else expect(messages).toThrow(found);
});
