import spec from '../../spec.json' with { type: 'json' };
import type { Config } from './config.ts';
import { describeFaults } from './faults.ts';

/** Returns a config with its defaults filled in, as `loadConfig` does. Throws if it is invalid. */
export function validConfig(document: object): Config {
  const config = structuredClone(document);
  const faults = describeFaults(config, spec.connectionSpecification);
  if (faults !== null) throw new Error(faults);
  return config as Config;
}
