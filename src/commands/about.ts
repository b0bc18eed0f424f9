import { arch, platform, release } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import spec from '../../spec.json' with { type: 'json' };
import { environmentSecret } from '../config/client-secret.ts';
import { isObject, keyName, readJsonFile } from '../config/files.ts';
import { secretParts } from '../config/secret-parts.ts';
import { MASK } from '../protocol/redactor.ts';
import type { Environment } from './connector.ts';

/** The options of `about`. */
export interface AboutOptions {
  readonly config: string | null;
}

/** The parts of the config schema that say what is secret. */
interface Key {
  readonly airbyte_secret?: boolean;
  readonly properties?: Readonly<Record<string, Key>>;
  readonly oneOf?: readonly Key[];
  readonly items?: Key;
}

const SCHEMA = spec.connectionSpecification as object as Key;

/** Variables that change how the connector behaves. Only their names are printed. */
const VARIABLE = /^(SOURCE_TRAILER_DATA|WORKER|NODE)_|^(HTTPS?|NO|ALL)_PROXY$/i;

/**
 * Prints what a bug report needs, as text for people: version, Node.js, platform, names of variables that are set, and the config, if one is
 * given. The config may be invalid. Only values that the schema describes and does not call secret are shown.
 *
 * @returns the exit code 0
 * @throws ConnectorError CONFIG_INVALID if the config is not a JSON file, after everything else was printed
 */
export async function runAbout(
  { config: path }: AboutOptions,
  { writer, redactor, openFile }: Environment,
): Promise<number> {
  const print = (text: string): Promise<void> => writer.write(Buffer.from(`${redactor.redact(text)}\n`));
  const variables = Object.keys(process.env).filter((name) => VARIABLE.test(name));
  await print(`${packageJson.name} ${packageJson.version}
Node.js ${process.version}
${platform()} ${release()}, ${arch()}
environment: ${variables.toSorted().join(', ') || 'none of the variables that the connector reads'}`);
  if (path === null) return 0;
  const written = await readJsonFile('config', path, openFile);
  const inEnvironment = await environmentSecret(process.env, openFile).catch(() => null);
  if (inEnvironment !== null) secretParts(inEnvironment.secret).forEach(redactor.hide);
  const { client_secret: secret, client_id: id } = isObject(written) ? written : {};
  if (typeof secret === 'string') secretParts(secret).forEach(redactor.hide);
  if (typeof id === 'string') redactor.expose(id);
  const shown = withoutSecrets(written, [SCHEMA]);
  await print(`config ${path}: ${JSON.stringify(shown, null, 2)}`);
  return 0;
}

/** Returns a value of a config, masked unless one of its possible descriptions in the schema shows it. */
function withoutSecrets(value: unknown, described: readonly Key[]): unknown {
  const keys = described.flatMap((key) => [key, ...(key.oneOf ?? [])]);
  if (Array.isArray(value)) {
    const items = keys.flatMap((key) => key.items ?? []);
    return value.map((item) => withoutSecrets(item, items));
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, member]) => {
      const own = keys.flatMap(({ properties = {} }) => properties[name] ?? []);
      return [keyName(name), withoutSecrets(member, own)];
    });
    return Object.fromEntries(members);
  }
  if (value === null) return value;
  const scalars = keys.filter((key) => (key.properties ?? key.oneOf ?? key.items) === undefined);
  const isShown = scalars.length > 0 && scalars.every((key) => key.airbyte_secret !== true);
  if (!isShown) return MASK;
  return typeof value === 'string' ? withoutUrlSecrets(value) : value;
}

/** Masks what may be secret in a URL: user, password and query. Returns any other text as it is. */
function withoutUrlSecrets(text: string): string {
  return text.replace(/^(\w+:\/\/)[^/?#]*@/, `$1${MASK}@`).replace(/^(\w+:\/\/[^?#]*)[?#].*$/s, `$1?${MASK}`);
}
