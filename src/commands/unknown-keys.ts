import type { Log } from '../protocol/writer.ts';

/** Keys that mean nothing to the connector are accepted, and named: most often they are a slip of the pen. */
export async function warnUnknownKeys(path: string, keys: readonly string[], log: Log): Promise<void> {
  if (keys.length > 0)
    await log.warn(`config ${path}: unknown keys, which change nothing: ${keys.join(', ')}`);
}
