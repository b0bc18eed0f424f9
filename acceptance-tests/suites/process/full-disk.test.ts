import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { validateLines } from '../conformance/validate-output.ts';
import { program } from '../../support/program.ts';
import type { Inputs } from '../../support/input-files.ts';
import { outline, startAs, useFolder, useRowApi } from './process-rig.ts';

/** A read on a disk with room for files of so many KiB; `onto` is where its stdout goes, or a pipe. */
async function readOnFullDisk(
  folder: string,
  inputs: Inputs,
  kib: number | null,
  onto: string | null,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const limit = kib === null ? '' : `ulimit -f ${kib}; `;
  const script = `${limit}exec "$0" "$@"${onto === null ? '' : ` > "${onto}"`}`;
  const env = { SOURCE_TRAILER_DATA_CACHE: join(folder, 'cache') };
  const started = await startAs('read', inputs, { folder, env, through: ['bash', '-c', script] });
  const [stdout, exit] = await Promise.all([text(started.stdout), started.exit]);
  return { ...exit, stdout };
}

function rowsIn(output: string): string[] {
  return [...output.matchAll(/"data":(\{"assetId":"\d+"[^}]*\})/g)].map(([, row = '']) => row);
}

test('a disk without room for the token cache: all is read, that is said, and nothing stands in the way of the next run', async () => {
  const api = await useRowApi(20, 10, {});
  const folder = await useFolder();
  const full = await readOnFullDisk(folder, { config: api.config }, 0, null);
  expect([full.code, full.stderr]).toStrictEqual([0, '']);
  expect(rowsIn(full.stdout)).toHaveLength(20);
  expect(full.stdout).toMatch(/tokens cannot be kept in a file for later runs \(EFBIG/);
  expect(readdirSync(join(folder, 'cache'))).toStrictEqual([]);
  const { code, stdout } = await readOnFullDisk(folder, { config: api.config }, null, null);
  expect(code).toBe(0);
  expect(stdout).not.toContain('tokens cannot be kept');
  expect(readdirSync(join(folder, 'cache'))).toHaveLength(1);
});

test('a disk that fills while the output is written: no success, not a word, and the next run goes on from there', async () => {
  const rows = 3000;
  const api = await useRowApi(rows, 100, {});
  const config = { ...api.config, assets: { ...(api.config as { assets: object }).assets, page_size: 50 } };
  const folder = await useFolder();
  const out = join(folder, 'out.jsonl');
  const { code, stderr } = await readOnFullDisk(folder, { config }, 256, out);
  expect([code, stderr]).toStrictEqual([1, '']);
  const cut = readFileSync(out, 'utf8');
  expect(cut).toHaveLength(256 * 1024);
  const next = await readOnFullDisk(folder, { config, state: cut }, null, null);
  expect([next.code, next.stderr]).toStrictEqual([0, '']);
  expect(outline(validateLines(Buffer.from(next.stdout))).at(-1)).toBe('COMPLETE');
  const all = new Set([...rowsIn(cut), ...rowsIn(next.stdout)]);
  expect(all.size).toBe(rows);
});

test('output in one piece of which only a part finds room: no success, and not a word', async () => {
  const out = join(await useFolder(), 'out.jsonl');
  const script = 'ulimit -f 4; exec "$0" "$1" spec > "$2"';
  const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath, program, out]);
  expect([status, stderr.toString()]).toStrictEqual([1, '']);
  expect(readFileSync(out)).toHaveLength(4096);
});
