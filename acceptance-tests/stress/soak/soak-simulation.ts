import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Soak } from './soak-crashes.ts';

const repository = join(import.meta.dirname, '../../..');
const PROGRAM = 'acceptance-tests/simulation/main.ts';
/** Scenarios of one process: some half a minute. */
const AT_ONCE = 2000;

/** Simulated scenarios in processes side by side until the time is over; true if all of them held. */
export async function soakSimulation(
  { msLeft, say }: Soak,
  first: number,
  workers: number,
): Promise<boolean> {
  let next = first;
  let isClean = true;
  const work = async (): Promise<void> => {
    do {
      const from = next;
      next += AT_ONCE;
      const args = ['--import', 'tsx', PROGRAM, '--first', String(from), '--count', String(AT_ONCE)];
      const child = spawn(process.execPath, args, { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
      const [words, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
      isClean &&= code === 0;
      say(`simulation from seed ${from}: ${words.trim()}`);
    } while (msLeft() > 0);
  };
  await Promise.all(Array.from({ length: workers }, work));
  if (!isClean) say(`to replay a simulated seed: npx tsx ${PROGRAM} --seed …`);
  return isClean;
}
