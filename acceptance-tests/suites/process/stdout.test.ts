import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { validateLines } from '../conformance/validate-output.ts';
import { outline, start, startAs, useFolder, useRowApi } from './process-rig.ts';

const MIB = 1024 * 1024;

/** Peak of the memory of a process so far, in bytes (Linux). */
async function peakMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const hasProc = existsSync('/proc/self/status');

test.skipIf(!hasProc)(
  'a slow reader: the connector waits for it, in memory that does not grow with the list',
  async () => {
    const [rows, rowBytes] = [100_000, 4000];
    const api = await useRowApi(rows, rowBytes, {});
    const started = await startAs('read', { config: api.config }, {});
    const exited = once(started.process, 'exit');
    let bytes = 0;
    let peak = 0;
    let pages = -1;
    for await (const chunk of started.stdout as AsyncIterable<Buffer>) {
      const isPause = Math.floor(bytes / (100 * MIB)) < Math.floor((bytes + chunk.length) / (100 * MIB));
      bytes += chunk.length;
      if (!isPause) continue;
      // until it stands still: what it might still fetch in a pause is bounded below
      while (pages !== api.pages()) {
        pages = api.pages();
        await delay(300);
      }
      peak = Math.max(peak, await peakMemory(started.process.pid));
      // it is ahead of its reader by a few pages and no more
      expect((pages - 16) * 500 * rowBytes).toBeLessThan(bytes);
    }
    expect(await exited).toStrictEqual([0, null]);
    expect(bytes).toBeGreaterThan(rows * rowBytes);
    console.log(
      `slow reader: ${Math.round(bytes / MIB)} MiB written, peak memory ${Math.round(peak / MIB)} MiB`,
    );
    expect(peak).toBeLessThan(300 * MIB);
  },
);

test('a reader that goes away: no more requests, exit code 1, not a word', async () => {
  const api = await useRowApi(1_000_000, 1000, {});
  const { process: child, stdout, exit, until } = await start('read', { config: api.config }, {});
  const exited = once(child, 'exit');
  await until('"RECORD"');
  stdout.destroy();
  expect(await exited).toStrictEqual([1, null]);
  expect((await exit).stderr).toBe('');
  expect(api.pages()).toBeLessThan(1000);
});

function untimed(lines: Buffer): string {
  return lines.toString().replaceAll(/"emitted_at":\d+|\d+\.\d s"/g, '');
}

test('a file gets the same bytes as a pipe, but for the times', async () => {
  const api = await useRowApi(3000, 300, {});
  const folder = await useFolder();
  const path = join(folder, 'out.jsonl');
  const file = await open(path, 'w');
  const { code, stderr } = await (await startAs('read', { config: api.config }, { stdout: file.fd })).exit;
  await file.close();
  const piped = await (await start('read', { config: api.config }, {})).ended();
  const written = await readFile(path);
  expect([code, stderr, piped.code]).toStrictEqual([0, '', 0]);
  expect(outline(validateLines(written))).toStrictEqual(outline(piped.messages));
  expect(untimed(written)).toBe(untimed(piped.stdout));
});

test.each(['check', 'discover', 'read'] as const)(
  'a disk that is full: %s ends with 1, without a word and without more requests than are on their way',
  async (command) => {
    const api = await useRowApi(1_000_000, 1000, {});
    const full = await open('/dev/full', 'w');
    const { code, signal, stderr } = await (
      await startAs(command, { config: api.config }, { stdout: full.fd })
    ).exit;
    await full.close();
    expect([code, signal, stderr]).toStrictEqual([1, null, '']);
    expect(api.pages()).toBeLessThan(100);
  },
);

test('a disk that has room for a part of the last write only: that is no success', async () => {
  const folder = await useFolder();
  const through = ['bash', '-c', `ulimit -f 1; exec "$0" "$@" > ${join(folder, 'out.jsonl')}`];
  const { code, stderr } = await (await startAs('spec', {}, { through })).exit;
  expect([code, stderr]).toStrictEqual([1, '']);
  expect(await readFile(join(folder, 'out.jsonl'))).toHaveLength(1024);
});
