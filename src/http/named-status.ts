import { isObject, type JsonObject } from '../config/files.ts';

/** What services call a status, without blanks, signs and the ends of names. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['unauthorized', 401],
  ['unauthenticated', 401],
  ['forbidden', 403],
  ['accessdenied', 403],
  ['permissiondenied', 403],
  ['notfound', 404],
  ['resourcenotfound', 404],
  ['methodnotallowed', 405],
  ['toomanyrequests', 429],
  ['ratelimitexceeded', 429],
  ['resourceexhausted', 429],
  ['internalserver', 500],
  ['badgateway', 502],
  ['serviceunavailable', 503],
  ['gatewaytimeout', 504],
]);

const ERROR = /error|fault|exception|^__type$/i;
const REMARK = /^(message|msg|title|details?)$/i;
const CODE = /^((http|error|status)?_?(code|status|type|name|reason))$/i;
const MAX_CHARS = 100;

/**
 * Returns the status that a failure states by its name, such as `{"error": {"code": "Forbidden"}}`; null if it states none. Rows have such
 * words too, so they count only within an error, as a message, or beside one.
 */
export function namedStatus(value: JsonObject): number | null {
  const errors = valuesOf(value, ERROR).flat();
  const remarks = valuesOf(value, REMARK);
  const codes = remarks.length === 0 ? [] : valuesOf(value, CODE);
  const within = errors
    .filter(isObject)
    .flatMap((error) => [...valuesOf(error, CODE), ...valuesOf(error, REMARK)]);
  const found = [...within, ...errors, ...codes, ...remarks].map(statusCalled);
  return found.find((status) => status !== undefined) ?? null;
}

function valuesOf(value: JsonObject, names: RegExp): unknown[] {
  return Object.entries(value).flatMap(([name, one]) => (names.test(name) ? [one] : []));
}

/** The status with a name, which may be the end of an address or of the name of a class. */
function statusCalled(name: unknown): number | undefined {
  if (typeof name !== 'string' || name.length > MAX_CHARS) return undefined;
  const last =
    name
      .replace(/[.!\s]+$/, '')
      .split(/[./#:]/)
      .at(-1) ?? '';
  const word = last
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/(error|exception|fault)$/, '');
  return STATUSES.get(word);
}
