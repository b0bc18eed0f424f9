import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { firstOf } from '../../../src/property-runs.test-support.ts';
import { outline, start, useRowApi } from './process-fixture.ts';

/** Limits virtual memory, of which WebAssembly reserves more than twice as much. */
const LIMITED = ['bash', '-c', 'ulimit -v 4000000 && exec "$0" "$@"'];
const hasLimit = spawnSync('bash', ['-c', 'ulimit -v 4000000']).status === 0;
const CURE = '--disable-wasm-trap-handler';
const COMPLETE = ['STARTED', 'RUNNING', 'STATE', 'COMPLETE'];

function refused(words: string): unknown[] {
  const error = new RegExp(`^config_error: Node\\.js cannot start WebAssembly.*${words}`);
  return ['STARTED', expect.stringMatching(error), 'INCOMPLETE'];
}

test.for<[where: string, through: string[], NODE_OPTIONS: string, ends: unknown[][]]>(
  firstOf(1, [
    ['without WebAssembly, a read', [], '--jitless', [refused('--jitless')]],
    // Node.js 24 needs no cure
    ['in a limited address space, a read', LIMITED, '', [refused(`NODE_OPTIONS=${CURE}`), COMPLETE]],
    ['in a limited address space, with the cure that the error names, a read', LIMITED, CURE, [COMPLETE]],
  ]),
)('%s is refused with the cure, or works', async ([, through, NODE_OPTIONS, ends], { skip }) => {
  skip(through.length > 0 && !hasLimit, 'no ulimit -v');
  const { config } = await useRowApi(10, 10, {});
  const running = await start('read', config, { env: { NODE_OPTIONS }, through });
  // Node.js itself warns of --jitless on stderr
  const { code, messages } = await running.ended();
  const found = outline(messages);
  expect(ends).toContainEqual(found);
  expect(code).toBe(found.at(-1) === 'COMPLETE' ? 0 : 1);
});
