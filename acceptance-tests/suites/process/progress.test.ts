import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RowApi } from '../../support/fixed-api.ts';
import { outline, readOutput, startAs, useFolder, useRowApi } from './process-rig.ts';
import { validateLines } from '../conformance/validate-output.ts';
import { writeInputs } from '../../support/input-files.ts';
import { noTerminals, startInTerminal } from '../../support/terminal.ts';
import type { Terminal, TerminalOptions } from '../../support/terminal.ts';
import { screenAfter } from '../../support/terminal-screen.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();
const where = noTerminals === null ? '' : ` (skipped: ${noTerminals})`;

/** A read in a terminal, with the folder it runs in; its stdout goes to `out.jsonl` there, unless told otherwise. */
async function read(
  config: object,
  options: Partial<TerminalOptions> & { readonly args?: readonly string[] },
): Promise<{
  readonly terminal: Terminal;
  readonly messages: () => Promise<ReturnType<typeof validateLines>>;
}> {
  const { args, folder } = await writeInputs(await useFolder(), { config });
  const terminal = startInTerminal(['read', ...args, ...(options.args ?? [])], {
    folder,
    columns: 80,
    redirection: '> out.jsonl',
    ...options,
  });
  onTestFinished(terminal.kill);
  return {
    terminal,
    messages: async () => validateLines(await readFile(join(folder, 'out.jsonl'))),
  };
}

/** 40 pages, of which the last ones are never answered. */
function useStuckApi(): Promise<RowApi> {
  return useRowApi(4000, 10, { assets: (before) => before > 4 });
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
  test.each([
    [80, 'xterm-256color'],
    [40, 'xterm-256color'],
    [200, 'dumb'],
    [7, 'xterm-256color'],
    [2, 'dumb'],
  ])('draws one line, however narrow it is, and leaves one (%i columns, TERM=%s)', async (columns, TERM) => {
    const options = { assetsLimitCap: 20, alarmsMaxPageSize: 50, latencyMs: 60 };
    const world = await bed.world({ assets: 1000, alarms: 1000, options });
    const { terminal, messages } = await read(world.config, { columns, env: { TERM } });
    expect(await terminal.exit).toBe(0);
    const output = terminal.output();
    for (const drawing of drawings(output)) expect(drawing.length).toBeLessThan(columns);
    const all = 'assets 1,000 rows done | alarms 1,000 rows done';
    const screen = screenAfter(output, columns);
    expect(screen).toHaveLength(2);
    expect(screen[1]).toBe('');
    if (columns >= 80) {
      expect(screen[0]).toBe(all);
      expect(drawings(output).join('\n')).toMatch(
        /assets \[#*-+\] \d+% .*\| alarms [\d,]+ rows .*to 20\d\d-\d\d-\d\d/,
      );
    }
    if (TERM === 'dumb') expect(output).not.toContain('\u001B');
    expect(outline(await messages()).filter((word) => word === 'COMPLETE')).toHaveLength(2);
  });

  test('NO_COLOR leaves out the colours', async () => {
    const world = await bed.world({ assets: 10, alarms: 10 });
    const coloured = await read(world.config, {});
    await coloured.terminal.exit;
    const plain = await read(world.config, { env: { NO_COLOR: '1' } });
    await plain.terminal.exit;
    expect(coloured.terminal.output()).toContain('\u001B[36massets\u001B[0m');
    expect(plain.terminal.output()).toContain('assets 10 rows done');
    expect(plain.terminal.output().replaceAll(/.\[[JK]/g, '')).not.toMatch(/.\[\d/);
  });

  test('--progress never shows nothing, and so does a stderr that is redirected', async () => {
    const world = await bed.world({ assets: 10, alarms: 10 });
    for (const options of [{ args: ['--progress', 'never'] }, { redirection: '> out.jsonl 2> err.txt' }]) {
      const { terminal } = await read(world.config, options);
      expect(await terminal.exit).toBe(0);
      expect(terminal.output()).toBe('');
    }
  });

  test('^C: the line ends where it is, the prompt stands on a line of its own, the output is whole', async () => {
    const { config } = await useStuckApi();
    const { terminal, messages } = await read(config, {});
    await terminal.until(shows(/^assets \[#.*%/));
    terminal.press('\u0003');
    // as a shell says it of a process that SIGINT has ended
    expect(await terminal.exit).toBe(130);
    const screen = screenAfter(terminal.output(), 80);
    expect(screen).toHaveLength(2);
    expect(screen[0]).toMatch(/^assets [\d,]+ rows stopped$/);
    expect(screen[1]).toBe('');
    expect(outline(await messages()).at(-1)).toBe('INCOMPLETE');
  });

  test('the line follows the size of the window', async () => {
    const { config } = await useStuckApi();
    const { terminal } = await read(config, { columns: 100 });
    await terminal.until(shows(/% [\d,]+ of 4,000/));
    await terminal.resize(16);
    await terminal.until(shows(/^assets \d+%$/));
    await terminal.resize(120);
    await terminal.until(shows(/% [\d,]+ of 4,000/));
    terminal.press('\u0003');
    await terminal.exit;
  });

  test('where stdout is on the terminal too, its lines stand by themselves', async () => {
    const world = await bed.world({
      assets: 100,
      alarms: 100,
      options: { assetsLimitCap: 10, latencyMs: 60 },
    });
    const columns = 60_000;
    const { terminal } = await read(world.config, { columns, redirection: '' });
    expect(await terminal.exit).toBe(0);
    const screen = screenAfter(terminal.output(), columns);
    expect(screen.splice(-2)).toStrictEqual(['assets 100 rows done | alarms 100 rows done', '']);
    expect(validateLines(Buffer.from(`${screen.join('\n')}\n`)).length).toBeGreaterThan(200);
    // it was there in between
    expect(drawings(terminal.output()).length).toBeGreaterThan(screen.length + 1);
  });
});

test('--progress always draws into a pipe too, without escape codes, and never on stdout', async () => {
  const { config } = await useStuckApi();
  const reader = readOutput(await startAs('read', { config }, { more: ['--progress', 'always'] }));
  const drawn = new Promise((resolve) => {
    reader.process.stderr?.once('data', resolve);
  });
  await Promise.all([reader.until('"RECORD"'), drawn]);
  reader.process.kill('SIGINT');
  const { stderr, messages } = await reader.ended();
  expect(stderr).toMatch(/^(\rassets [ -~]+\r)+\rassets [\d,]+ rows stopped *\n$/);
  expect(outline(messages).at(-1)).toBe('INCOMPLETE');
});
