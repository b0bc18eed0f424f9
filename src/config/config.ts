import spec from '../../spec.json' with { type: 'json' };
import { configError } from '../errors.ts';
import type { ConnectorConfig } from '../generated/config.generated.ts';
import { validate } from '../generated/validators/config.generated.ts';
import { isLoopback } from './loopback.ts';
import { readJsonFile } from './json-file.ts';
import type { OpenFile } from './json-file.ts';
import { describeFaults } from './validator.ts';

/** A valid config with every default filled in: its form and its defaults are those of `spec.json`. */
export type Config = Readonly<ConnectorConfig>;

type AlarmsConfig = NonNullable<Config['alarms']>;
/** What the configs of streams have in common. */
export type StreamConfig = Pick<AlarmsConfig, 'base_url' | 'audience' | 'start_date' | 'end_date'>;

export type LoadedConfig = Awaited<ReturnType<typeof loadConfig>>;

/** What is looked at of the JSON schema in the spec. */
interface SchemaNode {
  readonly group?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
}

const SCHEMA = spec.connectionSpecification as object as SchemaNode;
/** Keys of the objects that configure a stream. */
const STREAM_NAMES = Object.entries(SCHEMA.properties ?? {}).flatMap(([name, { group, properties }]) =>
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

/** What no schema can say of a config that is valid by it, for a person; empty if all is well. */
function problems(config: Config): string {
  const { auth_url, allow_http, token } = config;
  const values: Readonly<Record<string, unknown>> = { ...config };
  const streams = STREAM_NAMES.filter((name) => values[name] !== undefined);
  const found = [addressProblem('auth_url', auth_url, allow_http)];
  const needed = 'with token.kind "module" each stream needs the audience code of its module';
  if (streams.length === 0)
    found.push(`at least one stream must be there, such as ${STREAM_NAMES[0]}, each with its base_url`);
  for (const name of streams) {
    const { base_url, audience, start_date = '', end_date = '' } = values[name] as StreamConfig;
    if (token.kind === 'module' && audience === undefined)
      found.push(`${name}.audience is missing: ${needed}`);
    if (Date.parse(start_date) > Date.parse(end_date))
      found.push(`${name}.end_date must not be before ${name}.start_date`);
    found.push(addressProblem(`${name}.base_url`, base_url, allow_http));
  }
  return found.filter((words) => words !== null).join('; ');
}

function addressProblem(path: string, address: string, allowHttp: boolean): string | null {
  if (!URL.canParse(address)) return `${path} is not a web address, such as https://host/path`;
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || allowHttp || isLoopback(hostname)) return null;
  const why = 'over plain http the secret and the data travel in clear';
  return `${path} must start with https:// (${why}; set allow_http to true if that is really meant)`;
}

/** Keys that the schema does not name; platforms and their tests add keys of their own, marked by an underscore. */
function unknownKeys(value: unknown, { properties, oneOf = [] }: SchemaNode, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
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
    return node === undefined ? [`${path}${key}`] : unknownKeys(inner, node, `${path}${key}.`);
  });
}
