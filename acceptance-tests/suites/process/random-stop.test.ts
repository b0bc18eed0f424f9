import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ListName } from '../../sandbox/client.ts';
import { validateLines } from '../conformance/validate-output.ts';
import { recordTexts, statuses } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import { digestOf } from '../../sandbox/client.ts';
import { start, useRowApi } from './process-rig.ts';

const bed = useTestBed();
const KINDS: readonly ListName[] = ['assets', 'alarms'];

test.each([1, 3, 40, 333, 1500, 4000])(
  'stopped after line %i and started again: every row once, in both streams',
  async (line) => {
    const world = await bed.world({ assets: 6000, alarms: 1200, options: { latencyMs: 5 } });
    const config = { ...world.config, assets: { ...world.config.assets, page_size: 40 } };
    let lines = 0;
    const stopped = await world.run('read', {
      config,
      onLine: ({ process }) => {
        if (++lines === line) process.kill('SIGTERM');
      },
    });
    validateLines(stopped.stdout);
    expect([stopped.code, stopped.signal]).toStrictEqual([null, 'SIGTERM']);
    for (const kind of KINDS) expect(statuses(stopped, kind).at(-1)).toBe('INCOMPLETE');

    const resumed = await world.run('read', { config, state: stopped.stdout.toString() });
    expect(resumed.code).toBe(0);
    const truth = await world.groundTruth();
    for (const kind of KINDS) {
      const texts = [...recordTexts(stopped, kind), ...recordTexts(resumed, kind)];
      expect(digestOf(texts)).toStrictEqual(truth[kind]);
    }
  },
);

test('stopped at any moment of its first half second, it has ended by the signal or is complete', async () => {
  const api = await useRowApi(200, 10, {});
  const ends = await Promise.all(
    [0, 30, 60, 90, 120, 160, 200, 250, 300, 400, 500].map(async (ms) => {
      const reader = await start('read', { config: api.config }, {});
      await delay(ms);
      reader.process.kill('SIGINT');
      const { code, signal, stderr } = await reader.exit;
      expect(stderr).toBe('');
      expect([null, 0]).toContain(code);
      if (code === null) expect(signal).toBe('SIGINT');
      // before its first words it ends without any
      return reader.stdout.readableEnded && reader.isEmpty() ? 'silent' : (await reader.ended()).signal;
    }),
  );
  expect(ends).toContain('silent');
});
