import type { SimulatedApi } from './simulated-api.ts';

const MOST_CHARS = 900;

/** What a write holds, for a person: the numbers of its rows, other messages as they are. */
export function outputWords(bytes: Buffer, api: SimulatedApi): string {
  const words: string[] = [];
  let rows: number[] = [];
  const flush = (): void => {
    if (rows.length > 0) words.push(`    → rows ${rows.join(' ')}`);
    rows = [];
  };
  for (const line of bytes.toString('utf8').split('\n').slice(0, -1)) {
    const [, stream, text = ''] =
      /^\{"type":"RECORD","record":\{"stream":"(assets|alarms)".*?,"data":(.*)\}\}$/s.exec(line) ?? [];
    if (stream === undefined) {
      flush();
      words.push(`    → ${line.slice(0, MOST_CHARS)}`);
    } else rows.push(api[stream as 'assets' | 'alarms'].rowOf(text) ?? -1);
  }
  flush();
  return words.join('\n');
}
