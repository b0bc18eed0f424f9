import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { writeInputs } from '../../support/input-files.ts';
import { useTestBed } from '../../support/test-bed.ts';
import { outputOf } from '../conformance/validate-output.ts';
import { outline, start, useRowApi } from './process-fixture.ts';
import { noTerminals, startInTerminal, type TerminalOptions } from './terminal.ts';

// where the line is drawn, and how wide; unit tests check what is drawn
const bed = useTestBed();
const where = noTerminals === null ? '' : ` (skipped: ${noTerminals})`;

/** A read in a terminal, and the outline of its output in a file. */
async function read(config: object, options: Partial<TerminalOptions>, ...more: string[]) {
  const { args, folder } = await writeInputs(temporaryDirectory(), { config });
  const usual = { folder, columns: 80, redirection: '> out.jsonl' };
  const terminal = startInTerminal(['read', ...args, ...more], { ...usual, ...options });
  onTestFinished(terminal.kill);
  const words = async () => outline(outputOf(await readFile(join(folder, 'out.jsonl')), true).messages);
  return { terminal, words };
}

/** The config of a read of 40 pages, of which the last are never answered. */
async function stuckConfig(): Promise<object> {
  return (await useRowApi(4000, 10, { assets: (before) => before > 4 })).config;
}

function drawings(output: string): string[] {
  const parts = output.split('\r').map((drawing) => drawing.trim());
  return parts.filter((drawing) => drawing !== '');
}

const shows =
  (pattern: RegExp) =>
  (output: string): boolean =>
    pattern.test(drawings(output).at(-1) ?? '');

describe.skipIf(noTerminals !== null)(`a read in a terminal${where}`, () => {
  const latencyMs = 60;

  test.each([80, 40, 7])('of %i columns shows one line, without escape codes', async (columns) => {
    const options = { assetsLimitCap: 20, alarmsMaxPageSize: 50, latencyMs };
    const { config } = await bed.world({ assets: 500, alarms: 500, options });
    const { terminal, words } = await read(config, { columns });
    expect(await terminal.exit).toBe(0);
    const output = terminal.output();
    for (const drawing of drawings(output)) expect(drawing.length).toBeLessThan(columns);
    // one line, before the prompt
    expect(output.indexOf('\n')).toBe(output.length - 1);
    if (columns === 80) {
      expect(drawings(output).at(-1)).toBe('assets 500 rows done | alarms 500 rows done');
      const between = /assets \[#*-+\] \d+% .*\| alarms [\d,]+ rows .*to 20\d\d-\d\d-\d\d/;
      expect(drawings(output).join('\n')).toMatch(between);
    }
    expect(output).not.toContain('\u001B');
    expect((await words()).filter((word) => word === 'COMPLETE')).toHaveLength(2);
  });

  test.each<[what: string, redirection: string, args: string[]]>([
    ['with --progress never', '> out.jsonl', ['--progress', 'never']],
    ['with stderr in a file', '> out.jsonl 2> err.txt', []],
  ])('%s shows nothing', async (_, redirection, args) => {
    const { config } = await useRowApi(10, 10, {});
    const { terminal } = await read(config, { redirection }, ...args);
    expect(await terminal.exit).toBe(0);
    expect(terminal.output()).toBe('');
  });

  test('the line follows the size of the window, and ends at ^C, before the prompt', async () => {
    const { terminal, words } = await read(await stuckConfig(), {});
    await terminal.until(shows(/^assets \[#.* \d+%/));
    await terminal.resize(16);
    await terminal.until(shows(/^assets \[#*-*$/));
    await terminal.resize(80);
    await terminal.until(shows(/ \d+%/));
    terminal.press('\u0003');
    // the exit code that a shell reports for SIGINT
    expect(await terminal.exit).toBe(130);
    expect(shows(/^assets [\d,]+ rows stopped$/)(terminal.output())).toBe(true);
    expect(terminal.output()).toMatch(/\n$/);
    expect((await words()).at(-1)).toBe('INCOMPLETE');
  });

  test.each<string[]>([['--progress', 'always'], []])(
    'if stdout is the terminal too, it shows messages only: %j',
    async (...args: string[]) => {
      const options = { assetsLimitCap: 10, latencyMs };
      const { config } = await bed.world({ assets: 100, alarms: 100, options });
      const { terminal } = await read(config, { columns: 60_000, redirection: '' }, ...args);
      expect(await terminal.exit).toBe(0);
      const output = terminal.output();
      expect(output.replaceAll('\r\n', '')).not.toContain('\r');
      expect(outputOf(Buffer.from(output.replaceAll('\r', '')), true).lines.length).toBeGreaterThan(200);
      // the lines of a terminal are a state
      const again = await start('read', config, { state: Buffer.from(output) });
      const { messages } = await again.ended();
      expect(outline(messages).filter((word) => word === 'COMPLETE')).toHaveLength(2);
      const alarms = messages.filter(
        (message) => message.type === 'RECORD' && message.record.stream === 'alarms',
      );
      expect(alarms).toStrictEqual([]);
    },
  );

  test('a terminal that is closed stops a read with a last state', async () => {
    const { terminal, words } = await read(await stuckConfig(), {});
    await terminal.until(shows(/^assets \[#.* \d+%/));
    terminal.hangUp();
    await terminal.exit;
    await expect.poll(async () => (await words()).slice(-2)).toStrictEqual(['STATE', 'INCOMPLETE']);
  });
});

test('--progress always draws into a pipe too, without escape codes, and not on stdout', async () => {
  const running = await start('read --progress always', await stuckConfig(), {});
  const drawn = once(running.process.stderr ?? running.stdout, 'data');
  await Promise.all([running.until('"RECORD"'), drawn]);
  running.process.kill('SIGINT');
  const { stderr, messages } = await running.ended();
  expect(stderr).toMatch(/^(\rassets [ -~]+\r)+\rassets [\d,]+ rows stopped *\n$/);
  expect(outline(messages).at(-1)).toBe('INCOMPLETE');
});
