import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { program } from '../../support/program.ts';
import { bareEnvironment } from '../../support/start-connector.ts';

/** Why `script` of util-linux cannot create terminals here, or null. */
export const noTerminals = String(spawnSync('script', ['--version']).stdout).includes('util-linux')
  ? null
  : 'this machine has no `script` of util-linux';

export interface TerminalOptions {
  readonly folder: string; // working folder and home of the process
  readonly columns: number; // columns at the start
  readonly redirection: string; // appended to the shell command: `> file`, or empty to write stdout to the terminal too
}

/** The name of the terminal, which the shell prints first. */
const HEADER = /^(\/dev\/\S+)\r\n/;

/** Starts the built program in a shell in a new pseudo-terminal. */
export function startInTerminal(args: readonly string[], options: TerminalOptions) {
  const { folder, columns, redirection } = options;
  const words = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const command = `stty cols ${columns} rows 50 && tty && exec ${words} ${redirection}`;
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { ...bareEnvironment(folder), SHELL: '/bin/sh', TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let all = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    all += text;
  });
  const output = (): string => all.replace(HEADER, '');
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    output,
    until: async (isThere: (output: string) => boolean): Promise<void> => {
      while (!isThere(output())) {
        if (child.exitCode !== null) throw new Error(`ended with ${JSON.stringify(output())}`);
        await Promise.race([once(child.stdout, 'data'), closed]);
      }
    },
    press: (keys: string) => child.stdin.write(keys),
    resize: async (wanted: number): Promise<void> => {
      const name = HEADER.exec(all)?.[1] ?? 'the terminal has no name yet';
      await promisify(execFile)('stty', ['-F', name, 'cols', String(wanted)]);
    },
    /** Resolves with the exit code of the shell. */
    exit: closed.then(([code]) => code),
    kill: (): void => void child.kill('SIGKILL'),
    /** Closes the terminal, as a lost connection does. */
    hangUp: (): void => void child.kill('SIGKILL'),
  };
}
