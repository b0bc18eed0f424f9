import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GroundTruthSelection, ListName, Scenario } from '../../sandbox/client.ts';
import { createChoices } from '../../simulation/choices.ts';
import type { Choices } from '../../simulation/choices.ts';
import { eachList } from '../../sandbox/lists.ts';
import { outputOf } from '../../suites/conformance/validate-output.ts';
import { compareRows } from '../../support/compare-rows.ts';
import { killAtBytes } from '../../support/killed-process.ts';
import { recordText } from '../../support/run-views.ts';
import type { Output } from '../../support/run-views.ts';
import { createEmissionLedger } from './emission-ledger.ts';
import { changeRows, drawRound } from './rounds.ts';

/** More rounds than this without an end mean that the reads get nowhere. */
const MOST_ROUNDS = 5000;
/** What the connector says when all the rows that a state of the assets knows are deleted. */
const PLACE_LOST = /the place where the last read (began|stopped) is gone/;

/** What has been seen of a world. */
function createSeen() {
  return {
    ledgers: eachList(createEmissionLedger),
    counts: { rounds: 0, kills: 0, killsInsideLine: 0, readsFinished: 0, assetCycles: 0, placesLost: 0 },
    /** By what the ledgers say of them; of killed rounds also those behind the last state. */
    rows: { new: 0, repeat: 0, 'read again': 0, unexplained: 0, uncovered: 0 },
    /** Rows that were lost, altered, or emitted again though a state covered them. */
    problems: [] as string[],
  };
}

/**
 * One world, read again and again: each round is killed at some byte of its output, and the next goes on from what had
 * reached us (the saved output of earlier reads, joined, cut lines and all), while the world changes. After so many kills the
 * next read is let finish. All choices come from the seed; only how far the process got when it was killed does not.
 *
 * A finished read starts a new saved output, so that files stay small. The assets begin anew behind each state that says
 * they were complete; alarms go on through the whole test. The folder keeps the output of each round.
 *
 * @throws Error if a read fails, or breaks a rule of the protocol
 */
export async function runCrashWorld(world: Scenario, seed: number, folder: string, killsWanted: number) {
  const choices = createChoices(seed);
  const saved = join(folder, 'saved.jsonl');
  await writeFile(saved, '');
  const seen = createSeen();
  const { assets, alarms } = seen.ledgers;
  const { counts, rows, problems } = seen;
  let first = 0;
  for (let isLast = false; !isLast;) {
    const mustFinish = counts.kills >= killsWanted;
    const { output, isKilled, mark } = await playRound(world, choices, mustFinish, saved, folder);
    counts.rounds += 1;
    if (counts.rounds > MOST_ROUNDS) throw new Error(`no end after ${MOST_ROUNDS} rounds`);
    await writeFile(join(folder, `round-${counts.rounds}.jsonl`), output);
    await (isKilled ? appendFile(saved, output) : writeFile(saved, output));
    if (assets.rows().length === 0) first = mark;

    if (followRound(outputOf(output, !isKilled), seen)) {
      counts.assetCycles += 1;
      // the list gets new rows at its head only, so those that came in before this round must be there too
      problems.push(...(await rowProblems(world, 'assets', assets.rows(), mark, { lived: first })));
      assets.forget();
    }
    if (isKilled) {
      counts.kills += 1;
      if (output.length > 0 && output.at(-1) !== 10) counts.killsInsideLine += 1;
      rows.uncovered += assets.uncovered() + alarms.uncovered();
      continue;
    }
    counts.readsFinished += 1;
    problems.push(...(await rowProblems(world, 'alarms', alarms.rows(), mark, {})));
    isLast = mustFinish;
  }
  return { counts, rows, problems };
}

/** Adds a round to what has been seen. True if a state says that the assets were read to their end. */
function followRound(
  { messages, lines }: Output,
  { ledgers, counts, rows, problems }: ReturnType<typeof createSeen>,
) {
  let areAssetsComplete = false;
  for (const { startRound } of Object.values(ledgers)) startRound();
  for (const [index, message] of messages.entries()) {
    if (message.type === 'RECORD') {
      const text = recordText(lines[index]);
      const kind = ledgers[message.record.stream as ListName].row(text);
      rows[kind] += 1;
      if (kind === 'unexplained') problems.push(`round ${counts.rounds}: again ${text.slice(0, 150)}`);
    }
    if (message.type === 'LOG' && PLACE_LOST.test(message.log.message)) {
      counts.placesLost += 1;
      ledgers.assets.readAgain();
    }
    if (message.type !== 'STATE') continue;
    const { stream_descriptor: stream, stream_state: state } = message.state.stream;
    ledgers[stream.name as ListName].state();
    areAssetsComplete ||= stream.name === 'assets' && '__ab_full_refresh_sync_complete' in state;
  }
  return areAssetsComplete;
}

/** What is wrong with all that was emitted of a list: rows since a mark that are lost, and any that are none of `may`. */
async function rowProblems(
  world: Scenario,
  list: ListName,
  emitted: readonly string[],
  since: number,
  may: GroundTruthSelection,
): Promise<string[]> {
  const [must, known] = [world.groundTruthRows(list, { since }), world.groundTruthRows(list, may)];
  const { lost, unknown } = await compareRows(emitted, must, known);
  const problems = [...lost.map((row) => `lost: ${row}`), ...unknown.map((row) => `altered: ${row}`)];
  return problems.map((problem) => `${list}: ${problem.slice(0, 150)}`);
}

/** Changes the world, and lets a read happen while it goes on changing; `mark` is where it stood when the read began. */
async function playRound(
  world: Scenario,
  choices: Choices,
  mustFinish: boolean,
  saved: string,
  folder: string,
) {
  const { killAt, cut, changesBefore, changesAt, ...sizes } = drawRound(choices, mustFinish);
  for (let change = 0; change < changesBefore; change += 1) await changeRows(world, choices);
  const mark = await world.mark();
  const config = join(folder, 'config.json');
  await writeFile(config, JSON.stringify(configOf(world, sizes)));
  const killed = await killAtBytes({
    args: ['read', '--config', config, '--state', saved, '--state-every', '0'],
    folder,
    killAt,
    cut,
    onBytes: async (bytes) => {
      for (; changesAt[0] !== undefined && changesAt[0] <= bytes; changesAt.shift())
        await changeRows(world, choices);
    },
  });
  return { ...killed, mark };
}

type Sizes = Pick<ReturnType<typeof drawRound>, 'assetsPageSize' | 'alarmsPageSize' | 'concurrency'>;

/** JSON leaves out what is undefined. */
function configOf({ config }: Scenario, { assetsPageSize, alarmsPageSize, concurrency }: Sizes): object {
  const assets = { ...config.assets, page_size: assetsPageSize };
  return { ...config, assets, alarms: { ...config.alarms, page_size: alarmsPageSize }, concurrency };
}
