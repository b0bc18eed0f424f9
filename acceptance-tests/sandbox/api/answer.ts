import type { Options, Outcome } from '../options.ts';

/** An answer that is ready to be sent. `rows`: how many items the body holds; `page`: which page of its list it is. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  rows: number;
  page?: 'first' | 'middle' | 'last';
}

/** A successful JSON answer. */
export function jsonAnswer(status: number, body: string, more: Pick<Answer, 'rows' | 'page'>): Answer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body, ...more };
}

/** A request that is answered with an error. `waitSeconds`: when another try makes sense, if that is known. */
export class Refusal extends Error {
  readonly outcome: Outcome;
  readonly waitSeconds: number | undefined;

  constructor(outcome: Outcome, message: string, waitSeconds?: number) {
    super(message);
    this.outcome = outcome;
    this.waitSeconds = waitSeconds;
  }
}

/** The answer to a refused request; its status, body and Retry-After follow the options. */
export function refusalAnswer(refusal: Refusal, options: Options): Answer {
  const { outcome, message, waitSeconds } = refusal;
  const headers: Record<string, string> = {};
  if (outcome === 'badToken') headers['www-authenticate'] = 'Bearer';
  if (waitSeconds !== undefined && options.retryAfter === 'seconds')
    headers['retry-after'] = String(waitSeconds);
  const status = options.errorStatus[outcome];
  if (options.errorBody === 'empty') return { status, headers, body: '', rows: 0 };
  const json = options.errorBody === 'json';
  headers['content-type'] = `${json ? 'application/json' : 'text/plain'}; charset=utf-8`;
  const body = json ? JSON.stringify({ type: outcome, message, errors: [] }) : message;
  return { status, headers, body, rows: 0 };
}

/** Query parameters as they were parsed; a repeated one is a list. */
export type Query = Record<string, string | string[] | undefined>;

/** One parameter, or undefined. Throws a {@link Refusal} if it is repeated. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw new Refusal('badRequest', `${name}: given more than once`);
  return value;
}

/** A whole number of at least `least`, or undefined. Throws a {@link Refusal} for anything else. */
export function wholeNumber(query: Query, name: string, least: number): number | undefined {
  const value = single(query, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/.test(value) || Number(value) < least)
    throw new Refusal('badRequest', `${name}: an integer of at least ${least} is expected, not "${value}"`);
  return Number(value);
}

/** Throws a {@link Refusal} for parameters that the endpoint does not have, if the option says so. */
export function checkNames(query: Query, known: readonly string[], options: Options): void {
  if (options.unknownParameters === 'ignored') return;
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Refusal('badRequest', `${unknown}: unknown parameter`);
}
