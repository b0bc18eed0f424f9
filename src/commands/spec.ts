import spec from '../../spec.json' with { type: 'json' };
import type { Environment } from './environment.ts';

/** `spec`: the SPEC message. No network, no config. */
export async function runSpec(environment: Environment): Promise<number> {
  await environment.writer.send({ type: 'SPEC', spec });
  return 0;
}
