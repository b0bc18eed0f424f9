import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ensureBuilt } from '../support/ensure-built.ts';
import { writeInputs } from '../support/input-files.ts';
import { outline, readOutput, start, useFolder, useRowApi } from './process-rig.ts';

/** Of virtual memory: WebAssembly asks for more than twice as much, and does not touch it. */
const LIMIT = 'ulimit -v 4000000';
const hasLimit = spawnSync('bash', ['-c', LIMIT]).status === 0;
if (!hasLimit) console.log('not tested: a limited address space, since ulimit -v does not work here');

test('a Node.js without WebAssembly is refused with the cure', async () => {
  const api = await useRowApi(10, 10, {});
  const started = await start('read', { config: api.config }, { NODE_OPTIONS: '--jitless' });
  const { code, messages } = await readOutput(started).ended();
  expect(code).toBe(1);
  expect(outline(messages)).toStrictEqual([
    'STARTED',
    expect.stringMatching(/^config_error: Node\.js cannot start WebAssembly.*--jitless/),
    'INCOMPLETE',
  ]);
});

test.runIf(hasLimit)('in a limited address space the cure that the error names helps', async () => {
  const api = await useRowApi(10, 10, {});
  const run = async (NODE_OPTIONS: string): Promise<string> => {
    const { folder, args } = await writeInputs(await useFolder(), { config: api.config });
    const command = ['bash', process.execPath, await ensureBuilt(), 'read', ...args];
    const child = spawn('bash', ['-c', `${LIMIT} && exec "$@"`, ...command], {
      env: { PATH: process.env['PATH'], HOME: folder, NODE_OPTIONS },
    });
    const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return stdout;
  };
  const [refused, cured] = [await run(''), await run('--disable-wasm-trap-handler')];
  expect(refused).toContain('NODE_OPTIONS=--disable-wasm-trap-handler');
  expect(refused).toContain('"INCOMPLETE"');
  expect(cured.match(/"RECORD"/g)).toHaveLength(10);
  expect(cured).toContain('"COMPLETE"');
});
