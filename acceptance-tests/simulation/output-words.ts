import { recordText } from '../support/run-views.ts';
import type { SimulatedApi } from './simulated-api.ts';

const MOST_CHARS = 900;

/** What a write holds, for a person: the numbers of its rows, other messages as they are. */
export function outputWords(bytes: Buffer, api: SimulatedApi): string {
  const lines = bytes.toString('utf8').split('\n').slice(0, -1);
  const words = lines.map((line) => {
    const [, stream] = /^\{"type":"RECORD","record":\{"stream":"(assets|alarms)"/.exec(line) ?? [];
    if (stream === undefined) return line.slice(0, MOST_CHARS);
    return `${stream}: row ${api[stream as 'assets' | 'alarms'].rowOf(recordText(Buffer.from(line)))}`;
  });
  return words.map((word) => `    → ${word}`).join('\n');
}
