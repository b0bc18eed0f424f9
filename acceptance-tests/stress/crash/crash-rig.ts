import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, Scenario } from '../../sandbox/client.ts';
import { createRandom } from '../../sandbox/data/random.ts';
import { eachList } from '../../sandbox/lists.ts';
import { noFigures } from './crash-figures.ts';
import type { CrashFigures } from './crash-figures.ts';
import { createEmissionLedger } from './emission-ledger.ts';
import { killAtBytes } from './kill-at-bytes.ts';
import { messagesOf } from './round-messages.ts';
import { createRoundJudge } from './round-judge.ts';
import { drawRound } from './round-plan.ts';
import type { RoundPlan } from './round-plan.ts';
import { checkAlarms, checkAssets } from './rows-check.ts';
import { changeRows, drawServerKnobs, drawWorldKnobs } from './world-changes.ts';

export interface CrashRig {
  readonly sandbox: Sandbox;
  /** All choices come from it; only how far the process got when it was killed does not. */
  readonly seed: number;
  /** Everything is kept in it: the output of each round, and the joined output that the next one goes on from. */
  readonly folder: string;
  /** Asked before each round; once true, the next read is let finish, and is the last one. */
  readonly isEnough: (figures: CrashFigures) => boolean;
}

const rowsAtStart = { assets: 600, alarms: 1500 };
/** More rounds than this without an end mean that the reads get nowhere. */
const mostRounds = 5000;

/**
 * One world, read again and again: each round is killed at some byte of its output, and the next goes on from what had
 * reached us (design: the saved output of earlier reads, joined, cut lines and all), while the world changes.
 *
 * A finished read starts a new saved output, so that files stay small. The assets begin anew behind each state that says
 * they were complete; alarms go on through the whole test.
 *
 * @throws Error if a read fails, or breaks a rule of the protocol
 */
export async function runCrashRig({ sandbox, seed, folder, isEnough }: CrashRig): Promise<CrashFigures> {
  const random = createRandom(seed);
  const world = await sandbox.createScenario({ seed, ...rowsAtStart, options: drawWorldKnobs(random) });
  await mkdir(folder, { recursive: true });
  const configFile = join(folder, 'config.json');
  const saved = join(folder, 'saved.jsonl');
  await writeFile(saved, '');

  const figures = noFigures();
  const ledgers = eachList(createEmissionLedger);
  const judge = createRoundJudge(ledgers, figures);
  let first = 0;

  for (;;) {
    const mustFinish = isEnough(figures);
    const plan = drawRound(random, mustFinish);
    for (let change = 0; change < plan.changesBefore; change += 1) await changeRows(world, random);
    const mark = await world.mark();
    if (ledgers.assets.rows().size === 0) first = mark;
    await writeFile(configFile, JSON.stringify(configOf(world, plan)));

    const due = [...plan.changesAt];
    const { output, killed } = await killAtBytes({
      args: ['read', '--config', configFile, '--state', saved, '--state-every', '0'],
      folder,
      killAt: plan.killAt,
      cut: plan.cut,
      onBytes: async (bytes) => {
        for (; due[0] !== undefined && due[0] <= bytes; due.shift()) await changeRows(world, random);
      },
    });
    figures.rounds += 1;
    if (figures.rounds > mostRounds) throw new Error(`no end after ${mostRounds} rounds`);
    await writeFile(join(folder, `round-${figures.rounds}.jsonl`), output);
    await (killed ? appendFile(saved, output) : writeFile(saved, output));

    const messages = messagesOf(output, !killed);
    const assetsComplete = judge.round({ number: figures.rounds, messages, killed });
    if (killed) {
      figures.kills += 1;
      if (output.length > 0 && output.at(-1) !== 10) figures.killsInsideLine += 1;
    }
    if (assetsComplete) {
      figures.assetCycles += 1;
      await checkAssets(world, { first, last: mark }, ledgers.assets.rows(), figures);
      ledgers.assets.forget();
    }
    if (killed) continue;
    figures.readsFinished += 1;
    await checkAlarms(world, mark, ledgers.alarms.rows(), figures);
    if (mustFinish) break;
    await world.setOptions(drawServerKnobs(random));
  }
  await world.remove();
  return figures;
}

function configOf(world: Scenario, plan: RoundPlan): object {
  const { assets, alarms } = world.config;
  return {
    ...world.config,
    assets: { ...assets, page_size: plan.assetsPageSize },
    alarms: { ...alarms, ...(plan.alarmsPageSize === null ? {} : { page_size: plan.alarmsPageSize }) },
    concurrency: plan.concurrency,
  };
}
