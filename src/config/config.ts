import spec from '../../spec.json' with { type: 'json' };
import { configError } from '../errors.ts';
import { validate } from '../generated/validators/config.generated.ts';
import type { ConnectorConfig } from '../generated/config.generated.ts';
import { isLoopback } from './loopback.ts';
import { readJsonFile } from './json-file.ts';
import type { OpenFile } from './json-file.ts';
import { describeFaults } from './validator.ts';

type Properties = typeof spec.connectionSpecification.properties;
type Defaulted<P> = { [K in keyof P]: P[K] extends { default: unknown } ? K : never }[keyof P];
type Filled<T, P> = {
  readonly [K in keyof T as K extends Defaulted<P> ? never : K]: K extends keyof P ? Inner<T[K], P[K]> : T[K];
} & { readonly [K in keyof T as K extends Defaulted<P> ? K : never]-?: Exclude<T[K], undefined> };
type Inner<T, P> = P extends { properties: infer Q } ? Filled<Exclude<T, undefined>, Q> : T;

/** A valid config with every default filled in: its form and its defaults are those of `spec.json`. */
export type Config = Filled<ConnectorConfig, Properties>;

/** What the config of a stream has in common with that of every other. */
interface StreamConfig {
  readonly base_url: string;
  readonly audience?: string;
  readonly start_date?: string;
  readonly end_date?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** The config as it was written, without defaults. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Paths of keys that mean nothing to the connector, most often a slip of the pen; `_…` is left out. */
  readonly unknownKeys: readonly string[];
}

const SCHEMA = spec.connectionSpecification as object as SchemaNode;
/** Keys of the objects that configure a stream. */
const STREAM_NAMES = Object.entries(SCHEMA.properties ?? {}).flatMap(([name, { group, properties }]) =>
  group === 'streams' && properties !== undefined ? [name] : [],
);

/**
 * Reads and validates a config file.
 *
 * @throws config_error CONFIG_INVALID that names the file, each path in it and what is expected there; never a value
 */
export async function loadConfig(path: string, open: OpenFile): Promise<LoadedConfig> {
  const document = await readJsonFile('config', path, open, 'CONFIG_INVALID');
  const written = structuredClone(document) as Record<string, unknown>;
  const wrong = problems(document);
  if (wrong !== null) throw configError('CONFIG_INVALID', `config ${path}: ${wrong}.`);
  return {
    config: document as Config,
    document: written,
    unknownKeys: unknownKeys(document, SCHEMA, ''),
  };
}

/** What is wrong with a config, for a person, or null. Fills in defaults. */
function problems(document: unknown): string | null {
  const faults = describeFaults(document, validate);
  if (faults !== null) return faults;
  const config = document as Config;
  const streams = streamsOf(config);
  const found = [
    streams.length === 0
      ? `at least one stream must be there, such as ${STREAM_NAMES[0]}, each with its base_url`
      : null,
    ...streams.map(([name, { audience }]) =>
      config.token.kind === 'module' && audience === undefined
        ? `${name}.audience is missing: with token.kind "module" each stream needs the audience code of its module`
        : null,
    ),
    ...streams.map(([name, { start_date: start, end_date: end }]) =>
      start !== undefined && end !== undefined && Date.parse(start) > Date.parse(end)
        ? `${name}.end_date must not be before ${name}.start_date`
        : null,
    ),
    addressProblem('auth_url', config.auth_url, config.allow_http),
    ...streams.map(([name, { base_url }]) => addressProblem(`${name}.base_url`, base_url, config.allow_http)),
  ].filter((words) => words !== null);
  return found.length === 0 ? null : found.join('; ');
}

/** The streams that a config has, in the order of the spec. */
function streamsOf(config: Config): [name: string, stream: StreamConfig][] {
  const values: Readonly<Record<string, unknown>> = config;
  return STREAM_NAMES.filter((name) => values[name] !== undefined).map((name) => [
    name,
    values[name] as StreamConfig,
  ]);
}

function addressProblem(path: string, address: string, allowHttp: boolean): string | null {
  if (!URL.canParse(address)) return `${path} is not a web address, such as https://host/path`;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || allowHttp || isLoopback(hostname)
    ? null
    : `${path} must start with https:// (over plain http the secret and the data travel in clear; ` +
        `set allow_http to true if that is really meant)`;
}

interface SchemaNode {
  readonly group?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
}

/** Keys that the schema does not name; platforms and their tests add keys of their own, marked by an underscore. */
function unknownKeys(value: unknown, node: SchemaNode, path: string): string[] {
  const known = { ...node.properties, ...variantOf(value, node)?.properties };
  if (typeof value !== 'object' || value === null || Object.keys(known).length === 0) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key.startsWith('_')) return [];
    const child = Object.hasOwn(known, key) ? known[key] : undefined;
    return child === undefined ? [`${path}${key}`] : unknownKeys(inner, child, `${path}${key}.`);
  });
}

/** The variant of a choice that a valid value names by its constants. */
function variantOf(value: unknown, { oneOf = [] }: SchemaNode): SchemaNode | undefined {
  return oneOf.find(({ properties }) =>
    Object.entries(properties ?? {}).every(
      ([key, { const: constant }]) =>
        constant === undefined || (value as Record<string, unknown>)[key] === constant,
    ),
  );
}
