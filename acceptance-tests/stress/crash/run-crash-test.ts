import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/client.ts';
import { mix } from '../../sandbox/data/random.ts';
import { runCrashWorld } from './crash-world.ts';
import { sumFigures } from './figures.ts';
import type { CrashFigures } from './figures.ts';

/** The kills of one crash test at least, worlds together. */
export const KILLS_WANTED = 200;

/** Worlds at once: one process waits for its requests while another one starts. */
const WORLDS = 2;

/**
 * Kills the built connector at least {@link KILLS_WANTED} times, less only if `isOver` says that time is up, in several
 * worlds side by side. The same seed makes the same choices.
 *
 * @throws Error, with the seed and the folder of the outputs, if a read fails or breaks a rule of the protocol
 */
export async function runCrashTest(
  sandbox: Sandbox,
  seed: number,
  isOver: () => boolean,
): Promise<CrashFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'crash-'));
  const place = `(seed ${seed}; the outputs of all rounds are in ${folder})`;
  const isEnough = ({ counts }: CrashFigures): boolean => counts.kills >= KILLS_WANTED / WORLDS || isOver();
  const runs = await Promise.allSettled(
    Array.from({ length: WORLDS }, (_, world) =>
      runCrashWorld({ sandbox, seed: mix(seed, world), folder: join(folder, `world-${world}`), isEnough }),
    ),
  );
  const figures = sumFigures(
    runs.map((run) => {
      if (run.status === 'fulfilled') return run.value;
      throw new Error(`the crash test broke off ${place}`, { cause: run.reason });
    }),
  );
  if (figures.problems.length > 0) figures.problems.unshift(place);
  else await rm(folder, { recursive: true });
  return figures;
}
