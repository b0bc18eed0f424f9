import { expect, test } from 'vitest';
import { StateFormError } from './state-forms.ts';
import { statesInLines, type LoadedState } from './state-input.ts';

async function take(lines: readonly string[]): Promise<Omit<LoadedState, 'isOutput'>> {
  const { isOutput, ...found } = await statesInLines(lines, ['assets', 'alarms']);
  // a line of output is whole
  expect(isOutput).toBe(
    [LOG, RECORD, state('assets', 1), state('assets', 2)].some((line) => lines.join().includes(line)),
  );
  return found;
}

function state(stream: string, n: number): string {
  return JSON.stringify({
    type: 'STATE',
    state: { type: 'STREAM', stream: { stream_descriptor: { name: stream }, stream_state: { n } } },
  });
}

const LOG = '{"type":"LOG","log":{"level":"INFO","message":"}}{\\"type\\":\\"STATE\\""}}';
const RECORD =
  '{"type":"RECORD","record":{"stream":"assets","emitted_at":1,"data":{"state":{"type":"STATE"}}}}';

test('the last STATE of each stream is used', async () => {
  const lines = [LOG, RECORD, state('assets', 1), state('alarms', 2), RECORD, state('assets', 3), '', LOG];
  expect(await take(lines)).toStrictEqual({
    states: new Map([
      ['assets', { n: 3 }],
      ['alarms', { n: 2 }],
    ]),
    truncatedLines: 0,
  });
});

test.each(['{', '{"type"', '{"type":', '}', '}{'])(
  'a line of blanks after %s takes no time',
  async (begin) => {
    const blanks = ' '.repeat(300_000);
    const startedMs = performance.now();
    for (const end of ['', 'x', begin]) await take([LOG, `${begin}${blanks}${end}`]).catch(() => null);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  },
);

test('a member that is there twice, as null both times, changes nothing: PyAirbyte writes one', async () => {
  const line = state('assets', 1).replace(
    '"type":"STREAM",',
    '"type":"STREAM","global_":null,"global_":null,',
  );
  expect(await take([LOG, line])).toStrictEqual({
    states: new Map([['assets', { n: 1 }]]),
    truncatedLines: 0,
  });
});

test('an empty file has no states', async () => {
  const nothing = { states: new Map(), truncatedLines: 0 };
  expect(await take([])).toStrictEqual(nothing);
  expect(await take(['', ' ', '\ufeff'])).toStrictEqual(nothing);
});

test('output without a STATE is valid and has no states', async () => {
  expect(await take([LOG])).toStrictEqual({ states: new Map(), truncatedLines: 0 });
});

const one = new Map([['assets', { n: 1 }]]);
const two = new Map([['assets', { n: 2 }]]);

test.each<[what: string, lines: readonly string[], states: LoadedState['states'], truncatedLines: number]>([
  ['a STATE at the end', [LOG, state('assets', 1), state('assets', 2).slice(0, -1)], one, 1],
  ['a record at the end', [state('assets', 1), RECORD.slice(0, -30)], one, 1],
  ['a line cut within its first characters', [state('assets', 1), '{"ty'], one, 1],
  ['the next output glued to a cut line', [state('assets', 1), `${RECORD.slice(0, 40)}${LOG}`, LOG], one, 1],
  ['glued within the first characters', [state('assets', 1), `{"ty${LOG}`, LOG], one, 1],
  ['several cut at their first characters', [state('assets', 1), `{{"{"type":"{"t${LOG}`], one, 1],
  ['only a line end is missing', [`${state('assets', 1)}${state('assets', 2)}`, LOG], two, 0],
  ['a line end is missing twice', [`${LOG}${state('assets', 2)}${LOG}`], two, 0],
  ['a whole line without its end and a cut one', [`${state('assets', 2)}{"type":"LO`], two, 1],
  ['a whole line without its end and a few characters', [`${state('assets', 2)}{"ty`], two, 1],
  ['a whole line without its end and a brace', [`${state('assets', 2)}{`], two, 1],
  [
    'a cut line and a whole one glued to it',
    [state('assets', 1), `${LOG.slice(0, -1)}${state('assets', 2)}`],
    one,
    1,
  ],
  ['a cut line that looks like a joint', [state('assets', 1), LOG.slice(0, -1)], one, 1],
  ['nothing but a line that was no STATE', [LOG.slice(0, 20)], new Map(), 1],
  ['zero bytes at the end, as after a power cut', [state('assets', 1), '\0'.repeat(4096)], one, 1],
  ['zero bytes before the next output', [state('assets', 1), `\0\0${LOG}`, state('assets', 2)], two, 1],
  ['a byte order mark at each joint', [`\ufeff${LOG}`, state('assets', 1), `\ufeff${LOG}`], one, 0],
])('truncated: %s', async (_, lines, states, truncatedLines) => {
  expect(await take(lines)).toStrictEqual({ states, truncatedLines });
  const { states: found, truncatedLines: cut } = await statesInLines(lines.map(spaced), ['assets', 'alarms']);
  expect({ states: found, truncatedLines: cut }).toStrictEqual({ states, truncatedLines });
});

/** A line as other tools write it again, with blanks. */
const spaced = (line: string): string => line.replaceAll(/":/g, '" : ').replaceAll('{"', '{ "');

test.each<[lines: readonly string[], message: string]>([
  [[state('assets', 1).slice(0, -1)], 'damaged: the only state in it was cut off'],
  [['{"type":"STREAM","stream":{"stream_descriptor"'], 'damaged: the only state in it was cut off'],
  [['{"type":"GLO'], 'damaged: the only state in it was cut off'],
  [['{'], 'damaged: the only state in it was cut off'],
  [['\0\0'], 'damaged: the only state in it was cut off'],
  [['{"type":"'], 'damaged: the only state in it was cut off'],
  [
    ['npm warn'],
    'is not valid JSON at line 1, column 1: the file must be JSON, which begins with { or [; this is something else',
  ],
  [[`"npm" ${LOG}`], 'is not valid JSON at line 1, column 7: expected the end of the file'],
  [
    [LOG, state('assets', 1).slice(0, 40), state('assets', 1).slice(40)],
    'line 3: neither a line of saved output nor part of a whole JSON document. Line 2 ends within a message, as if a log collector had ' +
      'cut it; Docker does so after 16 KiB. Save what the program writes to stdout instead',
  ],
  [[LOG, '', '[1'], 'line 3: neither a line of saved output nor part of a whole JSON document'],
  [
    ['{"created_since":"20'],
    'is not valid JSON at line 1, column 18: the string that begins here has no closing quote',
  ],
  [
    [' [', '{"type":"STREAM"},', ']'],
    'is not valid JSON at line 2, column 18: there must be no comma before the ] that follows (a trailing comma)',
  ],
  [
    [LOG, 'npm \0w\0a\0'],
    'line 2: contains zero bytes, as text in UTF-16 does; save the whole file as UTF-8',
  ],
  [['{"type":"STATE","state":{"type":"STREAM"}}'], 'state: "stream" is missing'],
  // of a type that no connector writes, so that it may be anything
  [['{"type":"incremental","al'], 'damaged: the only state in it was cut off'],
  [
    [LOG, state('assets', 1).replace('{"n":1}', '{"n":1,"n":2}')],
    'line 2: is ambiguous at column 112: "n" is there twice, and only one could count',
  ],
  [
    [LOG, state('assets', 1).replace('{"n":1}', '{"n":null,"n":1,"m":null,"m":null}')],
    'line 2: is ambiguous at column 115: "n" is there twice, and only one could count',
  ],
  [['{"type":"STATE"}', 'garbage'], 'line 1: state: must be an object or an array of states'],
])('damaged: %j', async (lines, message) => {
  await expect(take(lines)).rejects.toThrow(new StateFormError(message));
});

test.each<[what: string, lead: string]>([
  ['docker logs --timestamps', '2026-01-01T00:00:00.123456789Z '],
  ['docker compose logs', 'reader-1  | '],
  ['journalctl', 'Jan 01 00:00:00 host run.sh[123]: '],
  ['Airflow', '[2026-01-01, 00:00:01 UTC] {docker.py:413} INFO - '],
  ['a counter', '7\t'],
])('what a log collector writes before each line is skipped: %s', async (_, lead) => {
  const lines = [LOG, state('assets', 1), RECORD, 'reader-1 exited with code 0', state('assets', 2), LOG];
  const found = await take(lines.map((line) => `${lead}${line}`));
  expect(found).toStrictEqual({ states: two, truncatedLines: 0 });
  const again = await statesInLines(
    lines.map((line) => `${lead}${spaced(line)}`),
    ['assets', 'alarms'],
  );
  expect(again).toStrictEqual({ states: two, truncatedLines: 0, isOutput: true });
});

const TRACER = 'DATADOG TRACER CONFIGURATION - {"date":"2026-01-01T00:00:00.000Z","version":"5.0.0"}';

test('what other tools print between messages is skipped', async () => {
  const lines = [
    '> source-trailer-data@0.1.0 read',
    TRACER,
    LOG,
    '(node:7) Warning: "x"',
    state('assets', 1),
    'npm notice',
  ];
  expect(await take(lines)).toStrictEqual({ states: one, truncatedLines: 0 });
});

test('line ends of terminals, and their text between lines, are accepted', async () => {
  const progress = '\rassets [#####-----] 50% 3 s left | alarms 12 rows waiting 5 s\r';
  const lines = [
    LOG,
    `${progress}${state('assets', 1)}`,
    progress,
    `\r   \r${state('assets', 2)}`,
    '\rassets 5 rows done',
    // cleared lines and colors, and keys that were pressed
    `\r\u001b[Kassets [####      ]\r\u001b[K${LOG}`,
    `\u001b[32m${LOG}\u001b[0m`,
    `^C${LOG}`,
    '\rassets [####      ]\r^C',
    '^C^C',
  ];
  const found = await take(lines.map((line) => `${line}\r`));
  expect(found.states).toStrictEqual(new Map([['assets', { n: 2 }]]));
  expect(found.truncatedLines).toBe(0);
});

const BOTH = { assets: { offset: 5 }, alarms: { created_since: 'W' } };
const LEGACY = { type: 'LEGACY', stream: null, data: BOTH };
/** The message is about the document, not about a line of saved output. */
const UNKNOWN = /^(?!line)/;

test.each<[document: unknown, outcome: object | RegExp]>([
  [{ ...LEGACY, type: null }, BOTH],
  [{ ...LEGACY, type: 'legacy' }, BOTH],
  [{ type: 'state', state: LEGACY }, BOTH],
  [{ type: 'record', record: {} }, {}],
  [{ type: 'incremental', ...BOTH }, UNKNOWN],
  [{ type: 'module', name: 'x' }, UNKNOWN],
  [{ type: 5, data: BOTH }, UNKNOWN],
])('what a document means depends on neither blanks nor lines: %j', async (document, outcome) => {
  const line = JSON.stringify(document);
  const contents = [line, JSON.stringify(document, null, 2), `[${line}]`, `[\n${line}\n]`, spaced(line)];
  for (const content of contents) {
    const found = statesInLines(content.split('\n'), ['assets', 'alarms']);
    if (outcome instanceof RegExp) await expect(found, content).rejects.toThrow(outcome);
    else expect(Object.fromEntries((await found).states), content).toStrictEqual(outcome);
  }
});

test.each([
  ['// my state', 'JSON has no comments; remove it, or use a key that begins with _'],
  ['# my state', 'JSON has no comments; remove it, or use a key that begins with _'],
  ['```json', 'the file must be JSON, which begins with { or [; this is something else'],
  ['Active code page: 65001', 'the file must be JSON, which begins with { or [; this is something else'],
])('a document after %s is refused for that line', async (first, problem) => {
  for (const document of [BOTH, LEGACY, [LEGACY]])
    for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
      if (text.startsWith('{"type"')) continue;
      const found = statesInLines(`${first}\n${text}`.split('\n'), ['assets', 'alarms']);
      await expect(found, text).rejects.toThrow(
        new StateFormError(`is not valid JSON at line 1, column 1: ${problem}`),
      );
    }
});

const COLLECTED = [LOG, state('assets', 1)].map((line) => ({
  time: 't',
  log: `${line}\n`,
  stream: 'stdout',
}));

test.each<[what: string, content: string, member: string]>([
  ['Docker', COLLECTED.map((line) => JSON.stringify(line)).join('\n'), 'log'],
  [
    'Docker, with other text and a message that was cut',
    [{ log: 'npm notice\n' }, { log: state('assets', 1).slice(0, 40) }]
      .map((line) => JSON.stringify({ ...line, stream: 'stdout' }))
      .join('\n'),
    'log',
  ],
  [
    'a list of entries',
    JSON.stringify(COLLECTED.map(({ log: textPayload }) => ({ textPayload, at: '' }))),
    'textPayload',
  ],
  [
    'messages as objects',
    JSON.stringify({ entries: [{ jsonPayload: JSON.parse(LOG) as object, at: '' }] }),
    'jsonPayload',
  ],
])('the member in which a log collector keeps the output is named: %s', async (_, content, member) => {
  await expect(statesInLines(content.split('\n'), ['assets', 'alarms'])).rejects.toThrow(
    `contains the output of a read in "${member}", as a log collector keeps it. Extract that first`,
  );
});
