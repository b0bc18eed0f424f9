import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { programOf } from '../own-process.test-support.ts';
import { firstOf, runs } from '../property-runs.test-support.ts';
import { loadState } from './state-input.ts';
import { temporaryDirectory, temporaryFile } from './temporary-file.test-support.ts';

function entry(name: string, state: unknown) {
  return { type: 'STREAM', stream: { stream_descriptor: { name }, stream_state: state } };
}

async function statesIn(content: string | Buffer): Promise<Record<string, unknown>> {
  return Object.fromEntries((await loadState(temporaryFile(content), KNOWN, createReadStream)).states);
}

async function refusalOf(path: string): Promise<string> {
  const error: unknown = await loadState(path, KNOWN, createReadStream).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(isConnectorError(error, 'STATE_INVALID')).toBe(true);
  expect(error).toHaveProperty('failureType', 'config_error');
  return (error as Error).message.replace(path, 'F');
}

const KNOWN = ['assets', 'alarms'];
const STATES = [entry('assets', { offset: 5 }), entry('alarms', { created_since: 'W' })];
const OUTPUT = [
  { type: 'LOG', log: { level: 'INFO', message: '\ufffd' } },
  ...STATES.map((state) => ({ type: 'STATE', state })),
  { type: 'TRACE', trace: {} },
];
const indented = (value: unknown): string => JSON.stringify(value, null, 2);
const BOTH = { assets: { offset: 5 }, alarms: { created_since: 'W' } };

test.each<[form: string, content: string, states: object]>([
  ['an empty file', '', {}],
  ['whitespace', ' \r\n\n', {}],
  ['a byte order mark alone', '\ufeff', {}],
  ['null', 'null', {}],
  ['an empty list', '[]\n', {}],
  ['an empty object', '{}', {}],
  ['a list on one line', JSON.stringify(STATES), BOTH],
  ['a list on many lines', `\ufeff${JSON.stringify(STATES, null, 2)}\r\n`, BOTH],
  [
    'a list with a state to a line',
    `[\n${STATES.map((state) => JSON.stringify(state)).join(',\n')}\n]`,
    BOTH,
  ],
  ['one state on one line', JSON.stringify(STATES[0]), { assets: BOTH.assets }],
  ['one state on many lines', JSON.stringify(STATES[0], null, '\t'), { assets: BOTH.assets }],
  ['states to a line, without messages', STATES.map((state) => JSON.stringify(state)).join('\n'), BOTH],
  ['an object by stream name', JSON.stringify(BOTH), BOTH],
  [
    'written by hand',
    '{"created_since": "2026-01-01T00:00:00Z"}\n',
    { null: { created_since: '2026-01-01T00:00:00Z' } },
  ],
  [
    'saved output',
    `{"type":"LOG","log":{"level":"INFO","message":"x"}}\r\n${JSON.stringify({ type: 'STATE', state: STATES[0] })}\r\n`,
    { assets: BOTH.assets },
  ],
  ['saved output of which each message is on many lines', OUTPUT.map(indented).join('\n'), BOTH],
  ['saved output as one array', indented(OUTPUT), BOTH],
  ['states on many lines, next to each other', STATES.map(indented).join(''), BOTH],
  [
    'a state without its envelope on each line',
    STATES.map(({ stream }) => JSON.stringify(stream)).join('\n'),
    BOTH,
  ],
  ['saved output of one line without a state', '{"type":"LOG","log":{"level":"INFO","message":"x"}}\n', {}],
])('%s', async (_, content, states) => {
  expect(await statesIn(content)).toStrictEqual(states);
});

test('an invalid state is reported with the file and the place, and never taken for an empty one', async () => {
  const whole = JSON.stringify(STATES, null, 2);
  const contents = [
    'garbage',
    '5',
    '{"assets": 5}',
    '{"alarms": {}, "assets": {},\n "alarms": {}}',
    '[{"type":"STREAM"}]',
    whole.slice(0, -1),
    whole.slice(0, 60),
    whole.slice(0, 1),
    JSON.stringify(STATES).slice(0, -1),
    JSON.stringify(STATES[0]).slice(0, -1),
    JSON.stringify(STATES[0], null, 2).slice(0, 40),
    JSON.stringify(BOTH).slice(0, -1),
    '{',
    '{"created_since": "2026-01',
    `${JSON.stringify(STATES[0])}\n"npm" warn deprecated\n`,
    `${whole}\n${whole.slice(0, -1)}`,
    `${whole}\n5`,
    'alarms:\n  created_since: x\n',
    `${JSON.stringify(STATES[0])}\n{"type":"STATE","state":{"type":"STREAM","stream":{}}}\n`,
  ];
  const lines: string[] = [];
  for (const content of contents) lines.push(await refusalOf(temporaryFile(content)));
  lines.push(await refusalOf(join(temporaryDirectory(), 'none')));
  lines.push(await refusalOf(temporaryDirectory()));
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "state F: is not valid JSON at line 1, column 1: the file must be JSON, which begins with { or [; this is something else.
    state F: must be an object or an array of states.
    state F: assets must be an object: the state of that stream.
    state F: is ambiguous at line 2, column 2: "alarms" is there twice, and only one could count.
    state F: [0]: "stream" is missing.
    state F: is not valid JSON at line 23, column 4: expected a comma or ].
    state F: is not valid JSON at line 5, column 7: the string that begins here has no closing quote.
    state F: is not valid JSON at line 1, column 2: expected a value or ].
    state F: is not valid JSON at line 1, column 200: expected a comma or ].
    state F: damaged: the only state in it was cut off.
    state F: is not valid JSON at line 4, column 5: expected a name in double quotes or }.
    state F: is not valid JSON at line 1, column 54: expected a comma or }.
    state F: damaged: the only state in it was cut off.
    state F: is not valid JSON at line 1, column 19: the string that begins here has no closing quote.
    state F: line 2: neither a line of saved output nor part of a whole JSON document.
    state F: is not valid JSON at line 47, column 4: expected a comma or ].
    state F: must be an object or an array of states.
    state F: is not valid JSON at line 1, column 1: this looks like YAML; the file must be JSON.
    state F: line 2: state: "stream.stream_descriptor" is missing.
    state F: there is no such file.
    state F: is a directory, not a file."
  `);
});

test('a STATE with bytes that are not valid UTF-8 is damaged, and other messages are not looked at', async () => {
  const whole = JSON.stringify({ type: 'STATE', state: STATES[0] });
  const damaged = Buffer.from(whole.replace('assets', 'as?ets'));
  damaged[damaged.indexOf('?')] = 0xff;
  const record = Buffer.from([
    ...Buffer.from('{"type":"RECORD","record":{"a":"'),
    0xff,
    ...Buffer.from('"}}'),
  ]);
  const newline = Buffer.from('\n');
  expect(await statesIn(Buffer.concat([record, newline, Buffer.from(whole)]))).toStrictEqual({
    assets: BOTH.assets,
  });
  const path = temporaryFile(Buffer.concat([Buffer.from(whole), newline, damaged, newline]));
  expect(await refusalOf(path)).toBe('state F: line 2: damaged: it contains bytes that are not valid UTF-8.');
});

test('every truncated state document is rejected', async () => {
  const path = temporaryFile('');
  const documents = [
    JSON.stringify([entry('assets', {})], null, 1),
    JSON.stringify(entry('assets', {})),
    '{"created_since":"2026"}',
  ];
  for (const document of documents)
    for (let length = 1; length < document.length; length++) {
      writeFileSync(path, document.slice(0, length));
      expect(await refusalOf(path), document.slice(0, length)).toMatch(/^state F: /);
    }
});

const anyText = fc.string({
  unit: fc.constantFrom('a', '"', '}', '{', '\n', 'é', '\u{1f69a}', '}}{"type":"STATE"'),
});
const data = fc.record({
  n: fc.nat(),
  anyText,
  nested: fc.constantFrom({}, { type: 'STATE', state: STATES[0] }),
});
const message = fc.oneof(
  fc
    .record({ type: fc.constant('STATE'), state: fc.tuple(fc.constantFrom('assets', 'alarms'), data) })
    .map(({ type, state: [stream, state] }) => ({ type, state: entry(stream, state), stream, own: state })),
  fc.record({ type: fc.constant('RECORD'), record: fc.record({ data }) }),
  fc.record({ type: fc.constantFrom('LOG', 'TRACE'), log: fc.record({ message: anyText }) }),
);
/** A saved output and where it was truncated: at a byte, before a line end, or not at all. */
const output = fc.record({
  lines: fc.array(
    message.map((one) => JSON.stringify(one)),
    { minLength: 1, maxLength: 5 },
  ),
  cut: fc.oneof(
    fc.constant(null),
    fc.record({ line: fc.nat(), byte: fc.nat() }),
    fc.record({ line: fc.nat() }),
  ),
});

function bytesOf({ lines, cut }: { lines: string[]; cut: { line: number; byte?: number } | null }): Buffer {
  const kept = cut === null ? lines.length : cut.line % lines.length;
  const whole = Buffer.from(
    lines
      .slice(0, kept)
      .map((line) => `${line}\n`)
      .join(''),
  );
  if (cut === null) return whole;
  const last = Buffer.from(lines[kept] ?? '');
  return Buffer.concat([
    whole,
    last.subarray(0, cut.byte === undefined ? last.length : cut.byte % (last.length + 1)),
  ]);
}

test('the last STATE on a complete line is used, of any output truncated at any byte and joined', async () => {
  const path = temporaryFile('');
  const property = fc.asyncProperty(fc.array(output, { minLength: 1, maxLength: 4 }), async (outputs) => {
    writeFileSync(path, Buffer.concat(outputs.map(bytesOf)));
    // the rest of a truncated line is incomplete
    const states = new Map<string, unknown>();
    let wholeLines = 0;
    let truncatedLines = 0;
    let cutLine = '';
    for (const { lines, cut } of outputs) {
      const pieces = bytesOf({ lines, cut }).toString().split('\n');
      pieces.forEach((piece, index) => {
        if (cutLine === '' && piece === lines[index]) {
          wholeLines++;
          const { stream, own } = JSON.parse(piece) as { stream?: string; own?: unknown };
          if (stream !== undefined) states.set(stream, own);
        } else cutLine += piece;
        if (index === pieces.length - 1) return;
        if (cutLine !== '') truncatedLines++;
        cutLine = '';
      });
    }
    if (cutLine !== '') truncatedLines++;

    const loaded = await loadState(path, KNOWN, createReadStream).catch((error: unknown) => error);
    if (loaded instanceof Error) {
      // the output contains only what may be the beginning of a state
      expect([wholeLines, loaded.message]).toStrictEqual([
        0,
        `state ${path}: damaged: the only state in it was cut off.`,
      ]);
      return;
    }
    expect(loaded).toStrictEqual({ states, truncatedLines, isOutput: wholeLines > 0 });
  });
  await fc.assert(property, { numRuns: runs(300) });
});

test.each(firstOf(2, [20, 3_000, 20_000]))(
  'saved output of %i messages whose line ends became blanks is the state that it ends with',
  async (count) => {
    const values = { a: '}} {"type":"STATE"', b: 'x'.repeat(500) };
    const messageAt = (at: number): object => {
      const state = entry('assets', { offset: at });
      if (at % 10 === 9) return { type: 'STATE', state };
      return at % 2 === 0
        ? { type: 'RECORD', record: { stream: 'assets', data: values } }
        : { type: 'LOG', log: { message: 'x' } };
    };
    const messages = Array.from({ length: count }, (_, at) => JSON.stringify(messageAt(at)));
    for (const [blank, end] of [
      [' ', ' '],
      ['\t', ''],
      ['\r', '\n'],
      [' \r ', ' {"type":"RECORD","rec'],
      [' ', ' {"ty'],
    ] as const)
      expect(await statesIn(messages.join(blank) + end)).toStrictEqual({ assets: { offset: count - 1 } });
  },
);

test('a state can be read from a pipe', async () => {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const written = pipeline(Readable.from([`${JSON.stringify(STATES)}\n`]), createWriteStream(path));
  const [{ states }] = await Promise.all([loadState(path, KNOWN, createReadStream), written]);
  expect(Object.fromEntries(states)).toStrictEqual(BOTH);
});

test('a huge saved output is read in little memory', async () => {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const code = `
    import { createReadStream } from 'node:fs';
    import { loadState } from './state-input.ts';
    const { states, truncatedLines } = await loadState(${JSON.stringify(path)}, [], createReadStream);
    console.log(JSON.stringify([[...states], truncatedLines]));`;
  const child = spawn(process.execPath, ['--max-old-space-size=48', programOf(code, import.meta.dirname)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const record = `{"type":"RECORD","record":{"stream":"assets","data":{"a":"${'x'.repeat(3000)}"}}}`;
  const page = `${`${record}\n`.repeat(100)}${JSON.stringify({ type: 'STATE', state: STATES[0] })}\n`;
  const pages = Readable.from(Array.from({ length: 200 }, () => page));
  const [printed] = await Promise.all([text(child.stdout), pipeline(pages, createWriteStream(path))]);
  expect(JSON.parse(printed)).toStrictEqual([[['assets', { offset: 5 }]], 0]);
  expect(await exited).toStrictEqual([0, null]);
});
