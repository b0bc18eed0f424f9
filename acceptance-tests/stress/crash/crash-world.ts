import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GroundTruthSelection, ListName, Sandbox, Scenario } from '../../sandbox/client.ts';
import { createRandom } from '../../sandbox/data/random.ts';
import type { Random } from '../../sandbox/data/random.ts';
import { eachList } from '../../sandbox/lists.ts';
import { compareRows } from '../../support/compare-rows.ts';
import { outputOf } from '../../suites/conformance/validate-output.ts';
import { killAtBytes } from '../../support/killed-process.ts';
import type { KilledOutput } from '../../support/killed-process.ts';
import { createEmissionLedger } from './emission-ledger.ts';
import { sumFigures } from './figures.ts';
import type { CrashFigures } from './figures.ts';
import { judgeRound } from './judge-round.ts';
import { drawRound } from './round-plan.ts';
import type { RoundPlan } from './round-plan.ts';
import { changeRows } from './world-changes.ts';

export interface CrashWorld {
  readonly sandbox: Sandbox;
  /** All choices come from it; only how far the process got when it was killed does not. */
  readonly seed: number;
  /** Everything is kept in it: the output of each round, and what the next one goes on from. */
  readonly folder: string;
  /** Asked before each round; once true, the next read is let finish, and is the last one. */
  readonly isEnough: (figures: CrashFigures) => boolean;
}

/** The joined output that the next round goes on from. */
const SAVED = 'saved.jsonl';
const ROWS_AT_START = { assets: 600, alarms: 1500 };
/** Small pages, so that a read has many states; what else servers do differently is left to the simulation. */
const OPTIONS = { tokenLimits: false, alarmsMaxPageSize: 20 };
/** More rounds than this without an end mean that the reads get nowhere. */
const MOST_ROUNDS = 5000;

/**
 * One world, read again and again: each round is killed at some byte of its output, and the next goes on from what had
 * reached us (the saved output of earlier reads, joined, cut lines and all), while the world changes.
 *
 * A finished read starts a new saved output, so that files stay small. The assets begin anew behind each state that says
 * they were complete; alarms go on through the whole test.
 *
 * @throws Error if a read fails, or breaks a rule of the protocol
 */
export async function runCrashWorld({ sandbox, seed, folder, isEnough }: CrashWorld): Promise<CrashFigures> {
  const random = createRandom(seed);
  const world = await sandbox.createScenario({ seed, ...ROWS_AT_START, options: OPTIONS });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, SAVED), '');

  const figures = sumFigures([]);
  const { counts, problems } = figures;
  const ledgers = eachList(createEmissionLedger);
  let first = 0;
  let isLast = false;
  while (!isLast) {
    const mustFinish = isEnough(figures);
    const { output, isKilled, mark } = await playRound(world, drawRound(random, mustFinish), random, folder);
    counts.rounds += 1;
    if (counts.rounds > MOST_ROUNDS) throw new Error(`no end after ${MOST_ROUNDS} rounds`);
    await writeFile(join(folder, `round-${counts.rounds}.jsonl`), output);
    const saved = join(folder, SAVED);
    await (isKilled ? appendFile(saved, output) : writeFile(saved, output));
    if (ledgers.assets.rows().size === 0) first = mark;

    if (judgeRound(outputOf(output, !isKilled), ledgers, figures)) {
      counts.assetCycles += 1;
      // the list gets new rows at its head only, so those that came in before this round must be there too
      const selection = { must: { since: mark }, may: { lived: first } };
      problems.push(...(await rowProblems(world, 'assets', ledgers.assets.rows(), selection)));
      ledgers.assets.forget();
    }
    if (isKilled) {
      counts.kills += 1;
      if (output.length > 0 && output.at(-1) !== 10) counts.killsInsideLine += 1;
      counts.uncovered += ledgers.assets.uncovered() + ledgers.alarms.uncovered();
      continue;
    }
    counts.readsFinished += 1;
    const selection = { must: { since: mark }, may: {} };
    problems.push(...(await rowProblems(world, 'alarms', ledgers.alarms.rows(), selection)));
    isLast = mustFinish;
  }
  await world.remove();
  return figures;
}

/** Changes the world, and lets a read happen while it goes on changing; `mark` is where it stood when the read began. */
async function playRound(
  world: Scenario,
  plan: RoundPlan,
  random: Random,
  folder: string,
): Promise<KilledOutput & { readonly mark: number }> {
  for (let change = 0; change < plan.changesBefore; change += 1) await changeRows(world, random);
  const mark = await world.mark();
  const config = join(folder, 'config.json');
  await writeFile(config, JSON.stringify(configOf(world, plan)));
  const due = [...plan.changesAt];
  const killed = await killAtBytes({
    args: ['read', '--config', config, '--state', join(folder, SAVED), '--state-every', '0'],
    folder,
    killAt: plan.killAt,
    cut: plan.cut,
    onBytes: async (bytes) => {
      for (; due[0] !== undefined && due[0] <= bytes; due.shift()) await changeRows(world, random);
    },
  });
  return { ...killed, mark };
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

/** What is wrong with all that was emitted of a list: rows of `must` that are lost, and any that are none of `may`. */
async function rowProblems(
  world: Scenario,
  list: ListName,
  emitted: ReadonlySet<string>,
  { must, may }: Readonly<Record<'must' | 'may', GroundTruthSelection>>,
): Promise<string[]> {
  const rows = (selection: GroundTruthSelection): AsyncIterable<string> =>
    world.groundTruthRows(list, selection);
  const { lost, strange, examples } = await compareRows([...emitted], rows(must), rows(may));
  return lost + strange === 0 ? [] : [`${list}: ${lost} lost, ${strange} altered: ${examples[0]}`];
}
