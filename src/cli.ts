import { configError } from './errors.ts';
import type { CommandLine, Invocation } from './invocation.ts';
import { STATE_SECONDS } from './limits.ts';

/**
 * Understands a command line. The plain ones, which platforms send, are understood at once; all others by yargs, which
 * takes longer to load than most commands take.
 *
 * @throws ConnectorError USAGE that says what is wrong
 */
export async function parseCommandLine(args: readonly string[]): Promise<CommandLine> {
  const plain = plainInvocation(args);
  if (plain !== null) return plain;
  const { parseFully } = await import('./full-command-line.ts');
  const line = await parseFully(args, STATE_SECONDS);
  if ('wrong' in line) throw configError('USAGE', line.wrong);
  return line;
}

/** A command with files behind options in full, each at most once, such as `read --config F --state F`; null for any other line. */
export function plainInvocation(args: readonly string[]): Invocation | null {
  const [name, ...rest] = args;
  const files: { config?: string; catalog?: string; state?: string } = {};
  for (let index = 0; index < rest.length; index += 2) {
    const [option, file] = [rest[index], rest[index + 1]];
    if (file === undefined || !/^[^-]/.test(file)) return null;
    if (option === '--config' && files.config === undefined) files.config = file;
    else if (name === 'read' && option === '--catalog' && files.catalog === undefined) files.catalog = file;
    else if (name === 'read' && option === '--state' && files.state === undefined) files.state = file;
    else return null;
  }
  const { config, catalog = null, state = null } = files;
  if (name === 'spec') return rest.length === 0 ? { name } : null;
  if (config === undefined) return null;
  const tokenCache = null;
  if (name === 'check') return { name, options: { config, tokenCache, verbose: false } };
  if (name === 'discover') return { name, options: { config, tokenCache } };
  if (name !== 'read') return null;
  const stateEveryMs = STATE_SECONDS.usual * 1000;
  const rows = { streams: null, limitRows: null, progress: 'auto' } as const;
  return { name, options: { config, tokenCache, catalog, state, stateEveryMs, ...rows } };
}
