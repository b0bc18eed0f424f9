import type { JsonObject } from '../config/files.ts';
import { statusIn } from './stated-status.ts';

/** A member of a JSON object, as it was sent. */
export type Said = readonly [name: string, value: unknown];

/** Names of members that report an error, in bodies that have nothing else to say. */
const ERROR_NAME = /error|exception|(?<!de)fault/i;
/** Those in a page: others with such words may count or list the errors of vehicles. */
const OWN_ERROR_NAME =
  /^_?((has|is|with)_?)?(errors?|exceptions?|failures?|failed|fault)$|^errors?_?(messages?|msg|code|text|description|details?|reason)$/i;
const REMARK_NAME = /^(message|msg|details?|description|reason)$/i;
const SUCCESS_NAME = /^(is_?)?(success(ful)?|succeeded|ok|valid)$/i;
const RESULT_NAME = /^(status|result|outcome|state)$/i;
const PARTIAL_NAME =
  /^(is_?|has_?)?(timed_?out|terminated_?early|(partial|incomplete)(_?(results?|data|content|response))?)$/i;
const WHOLE_NAME = /^(is_?)?complete$/i;
/** Objects about the answer, or about the parts of a service that answered. */
const ANSWER_NAME = /^_?(shards|partitions|(response_?)?(header|info|meta_?data|meta))$/i;

const FAILED =
  /^(error|fail|ko$|nok$|not[ _-]?ok$|denied|rejected|timed?[ _-]?out|unavailable|partial|incomplete|aborted|exception)/i;
const YES = /^true$/i;
const NO = /^(false|0)$/i;
/** Texts that stand for no error. */
const NO_ERROR =
  /^(|0+|200|false|null|nil|none|undefined|n\/?a|ok(ay)?|success(ful(ly)?)?|succeeded|no[ _-]?(errors?|exceptions?|failures?)([ _-](found|occurred))?|(?!.*\bnot\b)[\w ]{1,60} successfully)[.!]?$/i;
const MAX_NO_ERROR = 100; // characters of such a text
const COUNT_NAME = /(errors|exceptions|failures|count)$/i;
const MAX_DEPTH = 16; // of an error; deeper ones are stated

/** The members of a JSON object that report an error, unless they say that there is none. */
export function errorsIn(value: JsonObject): Said[] {
  return Object.entries(value).filter(([name, error]) => ERROR_NAME.test(name) && !isNoError(name, error));
}

/** The members of a JSON object that remark something, such as a failure where nothing else is in it. */
export function remarksIn(value: JsonObject): [name: string, remark: string][] {
  return Object.entries(value).flatMap(([name, remark]) =>
    isRemark(name) && typeof remark === 'string' && remark !== '' ? [[name, remark]] : [],
  );
}

/** The members of a JSON object that say that a request failed, such as `"success": false`. */
export function failuresIn(value: JsonObject): Said[] {
  return Object.entries(value).filter(([name, said]) => saysFailed(name, said));
}

export const isRemark = (name: string): boolean => REMARK_NAME.test(name);

/** True if a member of a page with this name may say that the page failed. */
export function mayReport(name: string): boolean {
  return OWN_ERROR_NAME.test(name) || mayFail(name) || statusIn(name, '500') !== null;
}

const mayFail = (name: string): boolean =>
  [SUCCESS_NAME, RESULT_NAME, PARTIAL_NAME, WHOLE_NAME, ANSWER_NAME].some((one) => one.test(name));

/**
 * True if a member beside the rows of a page says that it failed, so that rows may be missing. Whether the page has rows, or another one
 * follows, makes no difference: the next cursor or offset would pass over what is missing. So only names and values count that have
 * no other meaning.
 */
export function reportsFailure(name: string, value: unknown): boolean {
  if (OWN_ERROR_NAME.test(name) && !isNoError(name, value)) return true;
  return saysFailed(name, value) || statusIn(name, value) !== null;
}

/** True for a member that says how a request went, and that it failed. */
function saysFailed(name: string, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    if (ANSWER_NAME.test(name)) return members.some(([inner, one]) => reportsFailure(inner, one));
    return RESULT_NAME.test(name) && members.some(([inner, one]) => saysInside(inner, one));
  }
  const said = String(value);
  if (SUCCESS_NAME.test(name)) return NO.test(said);
  if (PARTIAL_NAME.test(name)) return YES.test(said);
  if (WHOLE_NAME.test(name)) return said === 'false';
  return RESULT_NAME.test(name) && (value === false || FAILED.test(said));
}

/** The same for a member of a status that is an object; one level is enough. Numbers may count the rows with each status. */
function saysInside(name: string, value: unknown): boolean {
  if (typeof value === 'number') return statusIn(name, value) !== null;
  if (typeof value !== 'object' || value === null) return reportsFailure(name, value);
  return OWN_ERROR_NAME.test(name) && !isNoError(name, value);
}

/** True for the value of an error that says that there is none: every part of it is empty, or stands for nothing or for success. */
export function isNoError(name: string, value: unknown): boolean {
  return isNothing(name, value, MAX_DEPTH);
}

function isNothing(name: string, value: unknown, depth: number): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (typeof value === 'string') return value.length <= MAX_NO_ERROR && NO_ERROR.test(value.trim());
  // a status; of errors it would be their number
  if (typeof value === 'number') return value === 0 || (value === 200 && !COUNT_NAME.test(name));
  if (typeof value !== 'object' || depth === 0) return false;
  if (!Array.isArray(value))
    return Object.entries(value).every(([inner, one]) => isNothing(inner, one, depth - 1));
  // JavaScript writes an error as {}
  return value.every((one) => isNothing(name, one, depth - 1) && JSON.stringify(one) !== '{}');
}
