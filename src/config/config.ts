import spec from '../../spec.json' with { type: 'json' };
import type { ConnectorConfig, CursorListConfig } from '../generated/config.generated.ts';
import { listed, quoted } from '../protocol/messages.ts';
import { addressProblem } from './addresses.ts';
import { SECRET_ELSEWHERE, environmentSecret } from './client-secret.ts';
import { describeFaults } from './faults.ts';
import { invalidInput, isObject, keyName, readJsonFile, type JsonObject, type OpenFile } from './files.ts';
import { nearName } from './near-name.ts';
import { describeUnknown, unknownKeys, type SchemaNode, type UnknownKey } from './unknown-keys.ts';

/** A valid config with all defaults of `spec.json`. */
export type Config = Readonly<ConnectorConfig>;
export type LoadedConfig = Awaited<ReturnType<typeof loadConfig>>;

/** Settings of a list that this module checks. */
export type ListSettings = Pick<CursorListConfig, 'base_url' | 'audience' | 'start_date' | 'end_date'>;

const SCHEMA = spec.connectionSpecification as object as SchemaNode;
/** Keys that each configure a predefined list; its stream has the name of the key. */
const PREDEFINED = Object.entries(SCHEMA.properties ?? {}).flatMap(([name, { group, properties }]) =>
  group === 'streams' && properties !== undefined ? [name] : [],
);

/**
 * Loads and validates a config. A secret that it lacks comes from the environment. CONFIG_INVALID names the file, each path in it and what
 * is expected there, but no value.
 */
export async function loadConfig(path: string, open: OpenFile, env: NodeJS.ProcessEnv) {
  const written = await readJsonFile('config', path, open);
  const given = normalized(written);
  const hasSecret = isObject(given) && given['client_secret'] !== undefined;
  const found = hasSecret ? null : await environmentSecret(env, open);
  const document = isObject(given) && found !== null ? { ...given, client_secret: found.secret } : given;
  const wrong = describeFaults(document, SCHEMA) ?? problems(document as Config);
  const faults = wrong.replace(NO_SECRET, `${NO_SECRET} (${SECRET_ELSEWHERE})`);
  const unknown = unknownKeys(written, SCHEMA);
  // an unknown key is most often a typo, and then the cause of other faults
  const typos = unknown.length === 0 ? '' : `. Unknown keys: ${listed(unknown, describeUnknown)}`;
  const place = faults === '' ? '' : placeOfConfig(written, '');
  if (place !== '')
    throw invalidInput('config', path, `the config is inside ${quoted(place)}; save that object alone`);
  if (faults !== '') throw invalidInput('config', path, `${faults}${typos}`);
  return {
    config: document as Config,
    document: written as JsonObject, // without defaults
    /** The secret for the next token; one from the environment may have been rotated. */
    currentSecret: async () => (hasSecret ? null : ((await environmentSecret(env, open))?.secret ?? null)),
    secretName: found === null ? 'client_secret' : `client_secret (from ${found.variable})`, // for messages
    unknownKeys: unknown, // those that are ignored
    misspelledLists: unknown.filter((each) => isMisspelledList(each, document as Config)),
  };
}

/** True for a key that most likely means a list, which is therefore not read. */
function isMisspelledList({ object, key }: UnknownKey, config: Config): boolean {
  const near = object === '' ? nearName(key, [...PREDEFINED, 'lists']) : null;
  if (near === 'lists') return config.lists.length === 0;
  return near !== null && (config as object as JsonObject)[near] === undefined;
}

/** Returns the path of an object inside a document that looks like a config, as the APIs of platforms wrap it; empty if there is none. */
function placeOfConfig(value: unknown, path: string): string {
  if (typeof value !== 'object' || value === null) return '';
  if (Object.hasOwn(value, 'auth_url')) return path;
  const places = Object.entries(value).map(([name, inner]) => {
    const step = Array.isArray(value) ? `[${name}]` : `.${keyName(name)}`;
    return placeOfConfig(inner, (path + step).replace(/^\./, ''));
  });
  return places.find((place) => place !== '') ?? '';
}

const NO_SECRET = '"client_secret" is missing';

/**
 * Drops keys that are null or "", which forms send for empty fields; only `token_cache` may be empty. Writes the schemes of addresses in
 * lower case, as the schema does.
 */
function normalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalized);
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, inner]) => {
    const isEmpty = inner === null || (inner === '' && key !== 'token_cache');
    if (isEmpty) return [];
    const isAddress = typeof inner === 'string' && key.endsWith('_url');
    return [
      [key, isAddress ? inner.replace(/^https?:/i, (scheme) => scheme.toLowerCase()) : normalized(inner)],
    ];
  });
  return Object.fromEntries(members);
}

/** Returns each list of a config, predefined ones first, with the name of its stream and its place, such as `lists[1]`. */
export function listsIn(config: Config) {
  const members = config as object as Readonly<Record<string, unknown>>;
  const predefined = PREDEFINED.filter((name) => members[name] !== undefined);
  return [
    ...predefined.map((name) => ({ name, place: name, settings: members[name] as ListSettings })),
    ...config.lists.map((entry, index) => ({ name: entry.name, place: `lists[${index}]`, settings: entry })),
  ];
}

/** Describes problems that the schema cannot express; empty if there are none. */
function problems(config: Config): string {
  const { auth_url, allow_http, token } = config;
  const lists = listsIn(config);
  const found = [addressProblem('auth_url', auth_url, allow_http)];
  const places = new Map<string, string>();
  const needed = '"token.kind" is "module", so each stream needs the audience code of its module';
  const example = `${PREDEFINED.map(quoted).join(', ')} or an entry of "lists", with its "base_url"`;
  if (lists.length === 0) found.push(`no stream is configured; add ${example}`);
  for (const { name, place, settings } of lists) {
    const { base_url, audience, start_date = '', end_date = '' }: ListSettings = settings;
    const first = places.get(name) ?? place;
    places.set(name, first);
    if (PREDEFINED.includes(name) && place !== name)
      found.push(`"${place}.name" must not be "${name}", which is configured by the key "${name}"`);
    else if (first !== place)
      found.push(`"${place}.name" is the same as "${first}.name"; list names must be unique`);
    if (token.kind === 'module' && audience === undefined)
      found.push(`"${place}.audience" is missing: ${needed}`);
    if (Date.parse(start_date) > Date.parse(end_date))
      found.push(`"${place}.end_date" must not be before "${place}.start_date"`);
    found.push(addressProblem(`${place}.base_url`, base_url, allow_http));
  }
  return found.filter((message) => message !== null).join('; ');
}
