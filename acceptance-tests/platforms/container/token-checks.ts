import { deepStrictEqual, ok } from 'node:assert/strict';
import type { Scenario } from '../../sandbox/client.ts';
import { digestOf } from '../../sandbox/client.ts';
import type { Run } from '../../support/run-connector.ts';
import { recordTexts } from '../../support/run-views.ts';
import type { Bench } from './bench.ts';
import { engine } from './container-tool.ts';

/** With a volume at /cache a check and two reads, each a container of its own, use one token; no config is announced. */
export async function checkSharedTokens(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 60, alarms: 60 });
  const { config } = world;
  const volume = `source-trailer-data-tokens-${process.pid}`;
  const run = { config, way: 'byHand', options: ['-v', `${volume}:/cache`] } as const;
  try {
    const runs = [
      await bench.contained('check', run),
      await bench.contained('read', run),
      await bench.contained('read', run),
    ];
    for (const { code } of runs) deepStrictEqual(code, 0);
    deepStrictEqual(announced(runs), []);
    await expectTruth(world, runs.slice(1));
    deepStrictEqual((await world.requests()).tokens.issued, 1);
  } finally {
    await engine('volume', 'rm', '--force', volume);
  }
  return '3 containers, 1 token';
}

/**
 * Without a place to write, a token is announced in a CONTROL message; a run with the config that it holds needs no other.
 */
export async function checkAnnouncedTokens(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 60, alarms: 60 });
  const { config } = world;
  for (const way of ['platform', 'byHand'] as const) {
    const before = (await world.requests()).tokens.issued;
    const first = await bench.contained('read', { config, way, options: [] });
    const [announcement, ...others] = announced([first]);
    ok(announcement !== undefined && others.length === 0, 'one CONTROL message, not more');
    deepStrictEqual({ ...announcement, token_cache: '' }, { ...config, token_cache: '' });
    const second = await bench.contained('read', { config: announcement, way, options: [] });
    deepStrictEqual(announced([second]), []);
    deepStrictEqual([first.code, second.code], [0, 0]);
    await expectTruth(world, [first, second]);
    deepStrictEqual((await world.requests()).tokens.issued, before + 1);
  }
  return '2 containers, 1 token, on a platform and by hand';
}

async function expectTruth(world: Scenario, runs: readonly Run[]): Promise<void> {
  const { assets, alarms } = await world.groundTruth();
  for (const run of runs) {
    deepStrictEqual(digestOf(recordTexts(run, 'assets')), assets);
    deepStrictEqual(digestOf(recordTexts(run, 'alarms')), alarms);
  }
}

/** The configs that CONTROL messages hold. */
function announced(runs: readonly Run[]): object[] {
  return runs.flatMap(({ messages }) =>
    messages.flatMap((message) =>
      message.type === 'CONTROL' ? [message.control.connectorConfig.config as object] : [],
    ),
  );
}
