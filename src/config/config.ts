import spec from '../../spec.json' with { type: 'json' };
import { configError } from '../errors.ts';
import type { ConnectorConfig } from '../generated/config.generated.ts';
import { validate } from '../generated/validators/config.generated.ts';
import { readJsonFile } from './json-file.ts';
import type { OpenFile } from './json-file.ts';
import { describeFaults } from './validator.ts';

/** A valid config with every default filled in: its form and its defaults are those of `spec.json`. */
export type Config = Readonly<ConnectorConfig>;

/** What a config says of one list, whichever its kind. */
export interface ListSettings {
  readonly base_url: string;
  readonly audience?: string;
  readonly start_date?: string;
  readonly end_date?: string;
}

export type LoadedConfig = Awaited<ReturnType<typeof loadConfig>>;

/** What is looked at of the JSON schema in the spec. */
interface SchemaNode {
  readonly group?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
}

const SCHEMA = spec.connectionSpecification as object as SchemaNode;
/** Keys of the objects that configure one predefined list each; the stream has the name of the key. */
const PREDEFINED = Object.entries(SCHEMA.properties ?? {}).flatMap(([name, { group, properties }]) =>
  group === 'streams' && properties !== undefined ? [name] : [],
);

/** A config file, validated; CONFIG_INVALID names the file, each path in it and what is expected there, never a value. */
export async function loadConfig(path: string, open: OpenFile) {
  const written = await readJsonFile('config', path, open);
  const document = withoutEmpty(written);
  const wrong = describeFaults(document, validate) ?? problems(document as Config);
  if (wrong !== '') throw configError('CONFIG_INVALID', `config ${path}: ${wrong}.`);
  return {
    config: document as Config,
    /** The config as it was written, without defaults. */
    document: written as Readonly<Record<string, unknown>>,
    /** Paths of keys that mean nothing to the connector, most often a slip of the pen; `_…` is left out. */
    unknownKeys: unknownKeys(written, SCHEMA, ''),
  };
}

/** Drops the keys that are null or "", as forms send for fields left empty. An empty `token_cache` means something. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutEmpty);
  const filled = Object.entries(value).filter(
    ([key, inner]) => inner !== null && (inner !== '' || key === 'token_cache'),
  );
  return Object.fromEntries(filled.map(([key, inner]) => [key, withoutEmpty(inner)]));
}

/** Each list of a config, predefined ones first: the name of its stream, and its place, such as `lists[1]`. */
export function listsIn(config: Config) {
  const members: Readonly<Record<string, unknown>> = { ...config };
  const predefined = PREDEFINED.filter((name) => members[name] !== undefined);
  return [
    ...predefined.map((name) => ({ name, place: name, settings: members[name] as ListSettings })),
    ...config.lists.map((entry, index) => ({ name: entry.name, place: `lists[${index}]`, settings: entry })),
  ];
}

/** What no schema can say of a config that is valid by it, for a person; empty if all is well. */
function problems(config: Config): string {
  const { auth_url, allow_http, token } = config;
  const lists = listsIn(config);
  const found = [addressProblem('auth_url', auth_url, allow_http)];
  const places = new Map<string, string>();
  const needed = 'with token.kind "module" each stream needs the audience code of its module';
  if (lists.length === 0)
    found.push(
      `no stream is configured; add ${PREDEFINED.join(', ')} or an entry of lists, with its base_url`,
    );
  for (const { name, place, settings } of lists) {
    const { base_url, audience, start_date = '', end_date = '' }: ListSettings = settings;
    const first = places.get(name) ?? place;
    places.set(name, first);
    if (PREDEFINED.includes(name) && place !== name)
      found.push(`${place}.name must not be ${name}, which is configured by the key of that name`);
    else if (first !== place)
      found.push(`${place}.name is the same as ${first}.name; each list needs a name of its own`);
    if (token.kind === 'module' && audience === undefined)
      found.push(`${place}.audience is missing: ${needed}`);
    if (Date.parse(start_date) > Date.parse(end_date))
      found.push(`${place}.end_date must not be before ${place}.start_date`);
    found.push(addressProblem(`${place}.base_url`, base_url, allow_http));
  }
  return found.filter((words) => words !== null).join('; ');
}

/** True if an address (`URL.hostname`) leads back to this machine. */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

function addressProblem(path: string, address: string, allowHttp: boolean): string | null {
  if (!URL.canParse(address)) return `${path} is not a web address, such as https://host/path`;
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || allowHttp || isLoopback(hostname)) return null;
  const why = 'over plain http the secret and the data travel in clear';
  return `${path} must start with https:// (${why}; set allow_http to true if that is really meant)`;
}

/** Keys that the schema does not name; platforms and their tests add keys of their own, marked by an underscore. */
function unknownKeys(value: unknown, { properties, oneOf = [], items }: SchemaNode, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => unknownKeys(item, items ?? {}, `${path}[${index}]`));
  const members = value as Readonly<Record<string, unknown>>;
  // a valid value names its variant by the constants in it
  const variant = oneOf.find((each) =>
    Object.entries(each.properties ?? {}).every(
      ([key, { const: named = members[key] }]) => members[key] === named,
    ),
  );
  const known = new Map(Object.entries({ ...properties, ...variant?.properties }));
  if (known.size === 0) return [];
  return Object.entries(members).flatMap(([key, inner]) => {
    if (key.startsWith('_')) return [];
    const node = known.get(key);
    const place = path === '' ? key : `${path}.${key}`;
    return node === undefined ? [place] : unknownKeys(inner, node, place);
  });
}
