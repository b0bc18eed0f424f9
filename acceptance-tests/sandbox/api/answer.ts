import type { Options, Outcome } from '../options.ts';

/** An answer that is ready to be sent. `rows`: how many items the body holds; `page`: which page of its list it is. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  rows: number;
  page?: 'first' | 'middle' | 'last';
  /** The rows on a page, by their numbers. */
  held?: readonly number[];
}

/** A successful JSON answer. */
export function jsonAnswer(
  status: number,
  body: string,
  more: Pick<Answer, 'rows' | 'page' | 'held'>,
): Answer {
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

  /** Its status and Retry-After follow the options. */
  answer({ errorStatus, retryAfter }: Options): Answer {
    const { outcome: type, message, waitSeconds } = this;
    const answer = jsonAnswer(errorStatus[type], JSON.stringify({ type, message, errors: [] }), { rows: 0 });
    if (type === 'badToken') answer.headers['www-authenticate'] = 'Bearer';
    if (waitSeconds !== undefined && retryAfter === 'seconds')
      answer.headers['retry-after'] = `${waitSeconds}`;
    return answer;
  }
}

/** Query parameters as they were parsed; a repeated one is a list. */
export type Query = Record<string, string | string[] | undefined>;

/** The parameters of an endpoint, each a text. Throws a {@link Refusal} for one that is repeated, or unknown if that is refused. */
export function parametersOf<K extends string>(query: Query, known: readonly K[], options: Options) {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) throw new Refusal('badRequest', `${name}: given more than once`);
    if (options.unknownParameters === 'refused' && !(known as readonly string[]).includes(name))
      throw new Refusal('badRequest', `${name}: unknown parameter`);
  }
  return query as Partial<Record<K, string>>;
}

/** A whole number of at least `least`; `otherwise`, if there is none. Throws a {@link Refusal} for anything else. */
export function wholeNumber(text: string | undefined, least: number, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Refusal('badRequest', `an integer of at least ${least} is expected, not "${text}"`);
}
