import spec from '../../spec.json' with { type: 'json' };
import { configError } from '../errors.ts';
import { validate } from '../generated/validators/config.generated.ts';
import type { ConnectorConfig } from '../generated/config.generated.ts';
import { isLoopback } from './loopback.ts';
import { readJsonFile } from './json-file.ts';
import type { OpenFile } from './json-file.ts';
import { createValidator, describeFaults } from './validator.ts';

type Written = ConnectorConfig;
type WrittenAssets = NonNullable<Written['assets']>;
type WrittenAlarms = NonNullable<Written['alarms']>;
type WithDefaults<T, K extends keyof T> = Omit<T, K> & Required<Pick<T, K>>;

export type TokenKind = NonNullable<Written['token']>;
export type AssetsConfig = WithDefaults<WrittenAssets, 'audience' | 'page_size'>;
export type AlarmsConfig = WithDefaults<
  WrittenAlarms,
  'created_field' | 'lookback_seconds' | 'parallel_chains'
>;

/** A valid config with every default filled in (design: the config keys; the schema is `spec.json`). */
export interface Config extends WithDefaults<
  Omit<Written, 'assets' | 'alarms'>,
  'token' | 'concurrency' | 'sample_rows' | 'allow_http'
> {
  readonly assets?: AssetsConfig;
  readonly alarms?: AlarmsConfig;
}

export interface LoadedConfig {
  readonly config: Config;
  /** The config as it was written, without defaults. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Paths of keys that mean nothing to the connector, most often a slip of the pen; `_…` is left out. */
  readonly unknownKeys: readonly string[];
}

const SCHEMA = spec.connectionSpecification as object as SchemaNode;

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
export function problems(document: unknown): string | null {
  const faults = createValidator(SCHEMA, validate)(document);
  if (faults.length > 0) return describeFaults(faults);
  const config = document as Config;
  const alarms = config.alarms;
  const rules: (string | null)[] = [
    config.assets === undefined && alarms === undefined
      ? 'at least one of assets and alarms must be there, each with its base_url'
      : null,
    config.token.kind === 'module' && alarms !== undefined && alarms.audience === undefined
      ? 'alarms.audience is missing: with token.kind "module" each stream needs the audience code of its module'
      : null,
    alarms?.start_date !== undefined &&
    alarms.end_date !== undefined &&
    Date.parse(alarms.start_date) > Date.parse(alarms.end_date)
      ? 'alarms.end_date must not be before alarms.start_date'
      : null,
    addressProblem('auth_url', config.auth_url, config.allow_http),
    addressProblem('assets.base_url', config.assets?.base_url, config.allow_http),
    addressProblem('alarms.base_url', alarms?.base_url, config.allow_http),
  ];
  const found = rules.filter((rule) => rule !== null);
  return found.length === 0 ? null : found.join('; ');
}

function addressProblem(path: string, address: string | undefined, allowHttp: boolean): string | null {
  if (address === undefined) return null;
  if (!URL.canParse(address)) return `${path} is not a web address, such as https://host/path`;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || allowHttp || isLoopback(hostname)
    ? null
    : `${path} must start with https:// (over plain http the secret and the data travel in clear; ` +
        `set allow_http to true if that is really meant)`;
}

interface SchemaNode {
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
