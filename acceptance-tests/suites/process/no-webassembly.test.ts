import { spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { outline, start, startAs, useRowApi } from './process-rig.ts';

/** Of virtual memory: WebAssembly asks for more than twice as much, and does not touch it. */
const LIMIT = 'ulimit -v 4000000';
const hasLimit = spawnSync('bash', ['-c', LIMIT]).status === 0;

test('a Node.js without WebAssembly is refused with the cure', async () => {
  const api = await useRowApi(10, 10, {});
  const reader = await start('read', { config: api.config }, { NODE_OPTIONS: '--jitless' });
  // on stderr Node.js itself warns of the flag
  const { code, messages } = await reader.ended();
  expect(code).toBe(1);
  expect(outline(messages)).toStrictEqual([
    'STARTED',
    expect.stringMatching(/^config_error: Node\.js cannot start WebAssembly.*--jitless/),
    'INCOMPLETE',
  ]);
});

test.runIf(hasLimit)('in a limited address space the cure that the error names helps', async () => {
  const api = await useRowApi(10, 10, {});
  const through = ['bash', '-c', `${LIMIT} && exec "$0" "$@"`];
  const run = async (NODE_OPTIONS: string): Promise<string> => {
    const started = await startAs('read', { config: api.config }, { env: { NODE_OPTIONS }, through });
    return text(started.stdout);
  };
  const [plain, cured] = [await run(''), await run('--disable-wasm-trap-handler')];
  // Node.js 24 needs no cure
  expect(plain).toMatch(/NODE_OPTIONS=--disable-wasm-trap-handler[^]*"INCOMPLETE"|"COMPLETE"/);
  expect(cured.match(/"RECORD"/g)).toHaveLength(10);
  expect(cured).toContain('"COMPLETE"');
});
