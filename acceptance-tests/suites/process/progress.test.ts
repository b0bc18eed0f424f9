import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { outputOf } from '../conformance/validate-output.ts';
import { writeInputs } from '../../support/input-files.ts';
import { noTerminals, startInTerminal } from '../../support/terminal.ts';
import type { Terminal, TerminalOptions } from '../../support/terminal.ts';
import { screenAfter } from '../../support/terminal-screen.ts';
import { useTestBed } from '../../support/test-bed.ts';
import { outline, start, useRowApi } from './process-fixture.ts';

const bed = useTestBed();
const where = noTerminals === null ? '' : ` (skipped: ${noTerminals})`;

interface Shown {
  readonly terminal: Terminal;
  /** What was written to the file that stdout goes to, unless it is told otherwise. */
  readonly words: () => Promise<string[]>;
}

/** A read in a terminal. */
async function read(config: object, args: string[], options: Partial<TerminalOptions>): Promise<Shown> {
  const { args: inputs, folder } = await writeInputs(temporaryDirectory(), { config });
  const usual = { folder, columns: 80, redirection: '> out.jsonl' };
  const terminal = startInTerminal(['read', ...inputs, ...args], { ...usual, ...options });
  onTestFinished(terminal.kill);
  return {
    terminal,
    words: async () => outline(outputOf(await readFile(join(folder, 'out.jsonl')), true).messages),
  };
}

/** A read of 40 pages, of which the last ones are never answered. */
async function stuckConfig(): Promise<object> {
  return (await useRowApi(4000, 10, { assets: (before) => before > 4 })).config;
}

/** Each drawing of the line, without colours. */
function drawings(output: string): string[] {
  return output
    .split('\r')
    .map((drawing) => stripVTControlCharacters(drawing).trim())
    .filter((drawing) => drawing !== '');
}

/** Whether the last drawing matches. */
function shows(pattern: RegExp): (output: string) => boolean {
  return (output) => pattern.test(drawings(output).at(-1) ?? '');
}

describe.skipIf(noTerminals !== null)(`a read in a terminal${where}`, () => {
  test.each<[columns: number, TERM: string, NO_COLOR: string, codes: string]>([
    [80, 'xterm-256color', '', 'JKm'],
    [40, 'xterm-256color', '1', 'JK'],
    [7, 'dumb', '', ''],
  ])('of %i columns (TERM=%s, NO_COLOR=%s) shows one line', async (columns, TERM, NO_COLOR, codes) => {
    const options = { assetsLimitCap: 20, alarmsMaxPageSize: 50, latencyMs: 60 };
    const { config } = await bed.world({ assets: 500, alarms: 500, options });
    const { terminal, words } = await read(config, [], { columns, env: { TERM, NO_COLOR } });
    expect(await terminal.exit).toBe(0);
    const output = terminal.output();
    for (const drawing of drawings(output)) expect(drawing.length).toBeLessThan(columns);
    const last = 'assets 500 rows done | alarms 500 rows done';
    const [line, ...behind] = screenAfter(output, columns);
    expect(behind).toStrictEqual(['']);
    if (columns === 80) {
      expect(line).toBe(last);
      const between = /assets \[#*-+\] \d+% .*\| alarms [\d,]+ rows .*to 20\d\d-\d\d-\d\d/;
      expect(drawings(output).join('\n')).toMatch(between);
    }
    // oxlint-disable-next-line no-control-regex -- escape codes
    const found = [...output.matchAll(/\u001B\[?\d*(.)/g)].map(([, code]) => code);
    expect(new Set(found)).toStrictEqual(new Set(codes));
    expect((await words()).filter((word) => word === 'COMPLETE')).toHaveLength(2);
  });

  test.each<[what: string, args: string[], redirection: string]>([
    ['--progress never', ['--progress', 'never'], '> out.jsonl'],
    ['a stderr that is redirected', [], '> out.jsonl 2> err.txt'],
  ])('%s shows nothing', async (_, args, redirection) => {
    const { config } = await useRowApi(10, 10, {});
    const { terminal } = await read(config, args, { redirection });
    expect(await terminal.exit).toBe(0);
    expect(terminal.output()).toBe('');
  });

  test('the line follows the size of the window, and at ^C ends where it is, with the prompt behind it', async () => {
    const { terminal, words } = await read(await stuckConfig(), [], {});
    await terminal.until(shows(/^assets \[#.*% [\d,]+ of 4,000/));
    await terminal.resize(16);
    await terminal.until(shows(/^assets \d+%$/));
    await terminal.resize(80);
    await terminal.until(shows(/% [\d,]+ of 4,000/));
    expect(terminal.output()).toContain('\u001B[36massets\u001B[0m');
    terminal.press('\u0003');
    // as a shell says it of a process that SIGINT has ended
    expect(await terminal.exit).toBe(130);
    expect(screenAfter(terminal.output(), 80)).toStrictEqual([
      expect.stringMatching(/^assets [\d,]+ rows stopped$/),
      '',
    ]);
    expect((await words()).at(-1)).toBe('INCOMPLETE');
  });

  test('where stdout is on the terminal too, its lines stand by themselves', async () => {
    const { config } = await bed.world({
      assets: 100,
      alarms: 100,
      options: { assetsLimitCap: 10, latencyMs: 60 },
    });
    const columns = 60_000;
    const { terminal } = await read(config, [], { columns, redirection: '' });
    expect(await terminal.exit).toBe(0);
    const screen = screenAfter(terminal.output(), columns);
    expect(screen.splice(-2)).toStrictEqual(['assets 100 rows done | alarms 100 rows done', '']);
    expect(outputOf(Buffer.from(`${screen.join('\n')}\n`), true).lines.length).toBeGreaterThan(200);
    // it was there in between
    expect(drawings(terminal.output()).length).toBeGreaterThan(screen.length + 1);
  });
});

test('--progress always draws into a pipe too, without escape codes, and never on stdout', async () => {
  const running = await start('read', await stuckConfig(), { more: ['--progress', 'always'] });
  const drawn = once(running.process.stderr ?? running.stdout, 'data');
  await Promise.all([running.until('"RECORD"'), drawn]);
  running.process.kill('SIGINT');
  const { stderr, messages } = await running.ended();
  expect(stderr).toMatch(/^(\rassets [ -~]+\r)+\rassets [\d,]+ rows stopped *\n$/);
  expect(outline(messages).at(-1)).toBe('INCOMPLETE');
});
