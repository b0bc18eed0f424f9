import { isObject, parsedJson, type JsonObject } from '../config/files.ts';
import { namedStatus } from './named-status.ts';
import { saysLimit, saysTokenRefused } from './server-words.ts';

const MAX_BYTES = 64 * 1024; // of a failure; larger bodies hold something else
const NAME = /^((http|error)?_?(status|code)(_?code)?|err(no|code))$/i;

/**
 * Returns the status that a body states which has neither rows nor a page: some services report each failure in a success, such as
 * `{"code": 401, "message": "token expired"}`, by its name, or only in words. Null if it states none.
 */
export function statedStatus(body: Buffer, text: string): number | null {
  const value =
    body.length > MAX_BYTES ? undefined : parsedJson(body.toString('utf8').replace(/^\ufeff/, ''));
  if (!isObject(value) || hasRows(value)) return null;
  const objects = [value, ...Object.values(value).flat().filter(isObject)];
  const stated = objects.flatMap((one) => Object.entries(one)).map(([name, code]) => statusIn(name, code));
  const status = stated.find((one) => one !== null);
  if (status !== undefined) return status;
  const named = namedStatus(value);
  if (named !== null) return named;
  if (saysTokenRefused(text)) return 401;
  return saysLimit(text) ? 429 : null;
}

/** The status of a failure in a member; null if it is none. */
export function statusIn(name: string, code: unknown): number | null {
  return NAME.test(name) && /^[45]\d\d$/.test(String(code)) ? Number(code) : null;
}

/** True if there are objects in an array, other than errors. */
function hasRows(value: JsonObject): boolean {
  return Object.entries(value).some(
    ([name, one]) => Array.isArray(one) && one.some(isObject) && !/error/i.test(name),
  );
}
