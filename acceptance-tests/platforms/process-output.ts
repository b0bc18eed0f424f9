import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Where and with what a program runs. */
export interface RunSettings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a program to its end. Throws with everything that it said if it fails or cannot be started. */
export async function runQuietly(
  command: string,
  args: readonly string[],
  settings: RunSettings,
): Promise<void> {
  const child = spawn(command, args, { ...settings, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${said}`);
}
