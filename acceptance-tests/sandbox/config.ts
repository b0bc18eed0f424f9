import { each, isPredefined, lists, pathOf, predefinedNames } from './lists.ts';
import type { EndpointName, ListName, Paging, PredefinedName } from './lists.ts';
import type { Options } from './options.ts';

type ListConfig = { base_url: string; audience?: string; id_field?: string; created_field?: string };

/** A connector config for one scenario. */
export type SandboxConfig = Record<'auth_url' | 'client_id' | 'client_secret', string> &
  Record<PredefinedName, ListConfig> & {
    lists?: (ListConfig & { paging: Paging; name: ListName; path: string })[];
  };

/** The config to read some lists; `urlOf` returns the address of a scenario for an endpoint. */
export function sandboxConfig(
  urlOf: (endpoint: EndpointName) => string,
  credentials: { clientId: string; clientSecret: string },
  names: readonly ListName[],
  { audiences }: Options,
): SandboxConfig {
  const listConfig = (name: ListName): ListConfig => {
    const { module, paging, key, created } = lists[name];
    // the connector has defaults for assets
    const isDefault = name === 'assets' && audiences[name] === module;
    return {
      base_url: `${urlOf(name)}/${pathOf(name)}`,
      ...(isDefault ? {} : { audience: audiences[name] }),
      ...(name === 'assets' || key === null ? {} : { id_field: key }),
      ...(isPredefined(name) || paging === 'offset' ? {} : { created_field: created }),
    };
  };
  const further = names.filter((name) => !isPredefined(name));
  const entries = further.map((name) => {
    return { paging: lists[name].paging, name, path: `/v1/${name}`, ...listConfig(name) };
  });
  return {
    auth_url: `${urlOf('token')}/auth/token`,
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    ...each(predefinedNames, listConfig),
    ...(entries.length === 0 ? {} : { lists: entries }),
  };
}
