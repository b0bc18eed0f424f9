import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/client.ts';
import { mix } from '../../sandbox/data/random.ts';
import { describeFigures, isClean, sumFigures } from './crash-figures.ts';
import type { CrashFigures } from './crash-figures.ts';
import { runCrashRig } from './crash-rig.ts';

/** The kills of one crash test at least, worlds together. */
export const killsWanted = 200;

/** Worlds at once: one process waits for its requests while another one starts. */
const worlds = 2;

/** What a crash test found. */
export interface CrashResult {
  readonly clean: boolean;
  readonly figures: CrashFigures;
  /** A table, for people; if something went wrong, also where the outputs of all rounds are. */
  readonly words: string;
}

/**
 * Kills the built connector at least {@link killsWanted} times, less only if `isOver` says that time is up, in several
 * worlds side by side. The same seed makes the same choices.
 *
 * @throws Error, with the seed and the folder of the outputs, if a read fails or breaks a rule of the protocol
 */
export async function runCrashTest(
  sandbox: Sandbox,
  seed: number,
  isOver: () => boolean,
): Promise<CrashResult> {
  const folder = await mkdtemp(join(tmpdir(), 'crash-'));
  const place = `(seed ${seed}; the outputs of all rounds are in ${folder})`;
  const runs = await Promise.allSettled(
    Array.from({ length: worlds }, (_, world) =>
      runCrashRig({
        sandbox,
        seed: mix(seed, world),
        folder: join(folder, `world-${world}`),
        isEnough: ({ kills }) => kills >= killsWanted / worlds || isOver(),
      }),
    ),
  );
  const figures = sumFigures(
    runs.map((run) => {
      if (run.status === 'fulfilled') return run.value;
      throw new Error(`the crash test broke off ${place}`, { cause: run.reason });
    }),
  );
  const words = describeFigures(figures, seed);
  if (!isClean(figures)) return { clean: false, figures, words: `${words}\n${place}` };
  await rm(folder, { recursive: true });
  return { clean: true, figures, words };
}
