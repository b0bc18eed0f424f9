import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GroundTruthSelection, ListName, Scenario } from '../../sandbox/client.ts';
import { eachList } from '../../sandbox/lists.ts';
import { createChoices, type Choices } from '../../simulation/choices.ts';
import { outputOf } from '../../suites/conformance/validate-output.ts';
import { compareRows } from '../../support/compare-rows.ts';
import { killAtBytes } from '../../support/killed-process.ts';
import { REPEATS, recordText, type Output } from '../../support/run-views.ts';
import { changeRows, drawRound } from './rounds.ts';

const MAX_ROUNDS = 5000; // reads that need more rounds make no progress

/** Tracks the rows of a list over rounds, each of which resumes from the last state before it. */
function createLedger() {
  const emitted = new Set<string>();
  const settled = new Set<string>(); // rows that must not be emitted again: followed by a state, or of this round
  let sinceState: string[] = [];
  return {
    emitted,
    startRound: (): void => {
      for (const row of sinceState) settled.delete(row);
      sinceState = [];
    },
    /** Adds a row. Returns false if it must not be emitted again. */
    add: (row: string): boolean => {
      const isAllowed = !settled.has(row);
      for (const set of [emitted, settled]) set.add(row);
      sinceState.push(row);
      return isAllowed;
    },
    addState: (): void => {
      sinceState = [];
    },
    restart: (): void => settled.clear(),
    clear: (): void => {
      for (const set of [emitted, settled]) set.clear();
      sinceState = [];
    },
  };
}
type Ledgers = Record<ListName, ReturnType<typeof createLedger>>;

/**
 * Reads a world repeatedly while it changes. Each round is killed at some byte of its output, and the next one resumes from the
 * saved output, truncated lines included. After a number of kills the next read may finish. All choices follow from the seed,
 * except how far a process got when it was killed. A finished read starts a new saved output. Assets start over after each
 * state that says they are complete; alarms continue through the whole test. The folder contains the output of each round.
 *
 * @throws Error if a read fails or violates the protocol
 */
export async function runCrashWorld(world: Scenario, seed: number, folder: string, minKills: number) {
  const choices = createChoices(seed);
  const saved = join(folder, 'saved.jsonl');
  await writeFile(saved, '');
  const ledgers: Ledgers = eachList(createLedger);
  const { assets, alarms } = ledgers;
  const counts = { rounds: 0, kills: 0, killsInsideLine: 0, readsFinished: 0, assetCycles: 0 };
  const problems: string[] = [];
  let first = 0;
  for (let isLast = false; !isLast;) {
    const mustFinish = counts.kills >= minKills;
    const { output, isKilled, mark } = await playRound(world, choices, mustFinish, saved, folder);
    counts.rounds += 1;
    if (counts.rounds > MAX_ROUNDS) throw new Error(`no end after ${MAX_ROUNDS} rounds`);
    await writeFile(join(folder, `round-${counts.rounds}.jsonl`), output);
    await (isKilled ? appendFile(saved, output) : writeFile(saved, output));
    if (assets.emitted.size === 0) first = mark;

    const { repeated, areAssetsComplete } = followRound(outputOf(output, !isKilled), ledgers);
    problems.push(...repeated.map((row) => `round ${counts.rounds}: again ${row.slice(0, 150)}`));
    if (areAssetsComplete) {
      counts.assetCycles += 1;
      // rows are inserted at the head only, so those inserted before this round are expected too
      problems.push(...(await rowProblems(world, 'assets', assets.emitted, mark, { lived: first })));
      assets.clear();
    }
    if (isKilled) {
      counts.kills += 1;
      if (output.length > 0 && output.at(-1) !== 10) counts.killsInsideLine += 1;
      continue;
    }
    counts.readsFinished += 1;
    problems.push(...(await rowProblems(world, 'alarms', alarms.emitted, mark, {})));
    isLast = mustFinish;
  }
  return { counts, problems };
}

/** Whether a log line says that assets may be emitted again. */
function isAboutRepeats(line: string): boolean {
  return line.startsWith('assets: ') && line.includes(REPEATS);
}

/** Adds a round to the ledgers. Returns rows that must not be emitted again, and whether a state says that assets are complete. */
function followRound({ messages, lines }: Output, ledgers: Ledgers) {
  const repeated: string[] = [];
  let areAssetsComplete = false;
  for (const { startRound } of Object.values(ledgers)) startRound();
  for (const [index, message] of messages.entries()) {
    if (message.type === 'RECORD') {
      const text = recordText(lines[index]);
      if (!ledgers[message.record.stream as ListName].add(text)) repeated.push(text);
    }
    if (message.type === 'LOG' && isAboutRepeats(message.log.message)) ledgers.assets.restart();
    if (message.type !== 'STATE') continue;
    const { stream_descriptor: stream, stream_state: state } = message.state.stream;
    ledgers[stream.name as ListName].addState();
    areAssetsComplete ||= stream.name === 'assets' && '__ab_full_refresh_sync_complete' in state;
  }
  return { repeated, areAssetsComplete };
}

/** Compares the emitted rows with those that existed since a mark and those that are allowed. */
async function rowProblems(
  world: Scenario,
  list: ListName,
  emitted: ReadonlySet<string>,
  since: number,
  allowed: GroundTruthSelection,
): Promise<string[]> {
  const [must, may] = [world.groundTruthRows(list, { since }), world.groundTruthRows(list, allowed)];
  const { lost, unknown } = await compareRows([...emitted], must, may);
  const problems = [...lost.map((row) => `lost: ${row}`), ...unknown.map((row) => `altered: ${row}`)];
  return problems.map((problem) => `${list}: ${problem.slice(0, 150)}`);
}

/** Changes the world, and reads it while it changes. `mark` is that of the start of the read. */
async function playRound(world: Scenario, choices: Choices, isLast: boolean, saved: string, folder: string) {
  const { killAt, cut, changesBefore, changesAt, ...sizes } = drawRound(choices, isLast);
  for (let change = 0; change < changesBefore; change += 1) await changeRows(world, choices);
  const mark = await world.mark();
  const assets = { ...world.config.assets, page_size: sizes.assetsPageSize };
  const alarms = { ...world.config.alarms, page_size: sizes.alarmsPageSize };
  const config = join(folder, 'config.json');
  const { concurrency } = sizes;
  await writeFile(config, JSON.stringify({ ...world.config, assets, alarms, concurrency }));
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
