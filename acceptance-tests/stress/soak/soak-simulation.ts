import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { number } from '../../demo/page.ts';
import type { Soak } from './soak-crashes.ts';

const repository = join(import.meta.dirname, '../../..');
const program = 'acceptance-tests/simulation/main.ts';
/** Scenarios of one process: some half a minute. */
const atOnce = 2000;

/** Simulated scenarios in processes side by side until the time is over; true if all of them held. */
export async function soakSimulation(
  { seed, msLeft, say }: Soak,
  first: number,
  workers: number,
): Promise<boolean> {
  let next = first;
  let run = 0;
  let failures = 0;
  const work = async (): Promise<void> => {
    do {
      const from = next;
      next += atOnce;
      const { output, failed } = await simulate(from);
      run += atOnce;
      failures += failed;
      if (output !== '') say(output);
      say(`simulation: ${number(run)} seeds, ${number(failures)} failures (from seed ${first})`);
    } while (msLeft() > 0);
  };
  await Promise.all(Array.from({ length: workers }, work));
  const replay = failures === 0 ? '' : `; to replay one: npx tsx ${program} --seed …`;
  say(`simulation: ${number(run)} seeds, ${number(failures)} failures${replay} (soak seed ${seed})`);
  return failures === 0;
}

async function simulate(first: number): Promise<{ readonly output: string; readonly failed: number }> {
  const args = ['--import', 'tsx', program, '--first', String(first), '--count', String(atOnce)];
  const child = spawn(process.execPath, args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = (await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])) as [string, string, [number | null]];
  const failures = stdout.split('\n').filter((line) => line.startsWith('seed '));
  const isBroken = code !== 0 && failures.length === 0;
  return {
    output: [...failures, ...(isBroken ? [stderr] : [])].join('\n'),
    failed: failures.length + (isBroken ? 1 : 0),
  };
}
