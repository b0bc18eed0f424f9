import type { Mutant } from './mutant.ts';

/** Faults in what both streams share: lines, states, retries, tokens, the end of a process. */
export const COMMON_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/sync/checkpoint.ts',
    text: 'return Buffer.concat([records, stateLine(pending())]);',
    planted: 'return Buffer.concat([stateLine(pending()), records]);',
    breaks: 'a state leaves before the records that it covers',
  },
  {
    file: 'src/sync/checkpoint.ts',
    text: 'const line = messageLines([stateMessage(stream, state, rowsSinceState)], redactor);\n    rowsSinceState = 0;\n    pending = null;',
    planted:
      'const line = messageLines([stateMessage(stream, state, rowsSinceState)], redactor);\n    pending = null;',
    breaks: 'recordCount counts rows twice',
  },
  {
    file: 'src/sync/checkpoint.ts',
    text: 'last: (): Buffer | null => (pending === null ? null : stateLine(pending())),',
    planted: 'last: (): Buffer | null => null,',
    breaks: 'the last state is not written',
  },
  {
    file: 'src/sync/checkpoint.ts',
    text: 'return written === null ? null : stateLine(written);',
    planted: 'rowsSinceState = 0;\n      return written === null ? null : stateLine(written);',
    breaks: 'a state that is said again counts no rows',
  },
  {
    file: 'src/sync/read-stream.ts',
    text: '{ rows: batch.rows.slice(0, room), state: null } : batch;',
    planted: '{ ...batch, rows: batch.rows.slice(0, room) } : batch;',
    breaks: 'a row limit inside a page leaves the state behind that page',
  },
  {
    file: 'src/sync/read-stream.ts',
    text: 'const isCut = batch.rows.length > room;',
    planted: 'const isCut = batch.rows.length > room + 1;',
    breaks: 'a row limit lets one row too many through',
  },
  {
    file: 'src/sync/run.ts',
    text: 'results.every(({ complete, isCutShort }) => complete || isCutShort)',
    planted: 'results.some(({ complete, isCutShort }) => complete || isCutShort)',
    breaks: 'exit code 0 though one stream has failed',
  },
  {
    file: 'src/sync/run.ts',
    text: '${requests} requests, ',
    planted: '${requests + retries} requests, ',
    breaks: 'the summary counts requests wrong',
  },
  {
    file: 'src/protocol/state-input.ts',
    text: 'for (const [stream, state] of statesOf(message)) states.set(stream, state);',
    planted:
      'for (const [stream, state] of statesOf(message)) if (!states.has(stream)) states.set(stream, state);',
    breaks: 'of saved output the first state counts',
  },
  {
    file: 'src/protocol/state-input.ts',
    text: 'if (!isCut(line))',
    planted: "if (line !== '')",
    breaks: 'a cut line of saved output is an error',
  },
  {
    file: 'src/protocol/record-lines.ts',
    text: "json.toString().replaceAll(/[\\n\\r]/g, ' ')",
    planted: 'json.toString()',
    breaks: 'a line end inside a row breaks its line',
  },
  {
    file: 'src/protocol/record-lines.ts',
    text: '/[\\u0085\\u2028\\u2029]/g,',
    planted: '/[\\u0085\\u2028\\u2029][^]?/g,',
    breaks: 'a byte is lost behind what is replaced in a row',
  },
  {
    file: 'src/protocol/writer.ts',
    text: 'stdout.write(lines, (error) => {',
    planted: 'resolve();\n      stdout.write(lines, (error) => {',
    breaks: 'a write is taken for done before it is, and its bytes are used again',
  },
  {
    file: 'src/api/page.ts',
    text: "if (rows === undefined) throw new BadPageError('the body has no array `items`');",
    planted: 'if (rows === undefined) return { rows: [], pagination: {} };',
    breaks: 'a page without items is the end of the list',
  },
  {
    file: 'src/api/page.ts',
    text: "if (!isUtf8(body)) throw new BadPageError('the body is not valid UTF-8');",
    planted: '',
    breaks: 'a body that is not UTF-8 is taken',
  },
  {
    file: 'src/api/retry.ts',
    text: 'spent.failures >= budget.attempts',
    planted: 'spent.failures >= 3',
    breaks: 'three attempts instead of six',
  },
  {
    file: 'src/api/retry.ts',
    text: 'isRateLimited: error.status === 429',
    planted: 'isRateLimited: error.status === 408',
    breaks: 'a 429 counts as any other failure',
  },
  {
    file: 'src/api/client.ts',
    text: 'const token = await bearer(context);',
    planted: 'const token = accepted ?? (await bearer(context));',
    breaks: 'a token is used for ever',
  },
  {
    file: 'src/token/rules.ts',
    text: 'return nowMs >= endMs - Math.max(Math.min(TOKEN.marginMs, life / 2), life / 10);',
    planted: 'return nowMs >= issuedAtMs + 1000;',
    breaks: 'tokens are renewed each second',
  },
];
