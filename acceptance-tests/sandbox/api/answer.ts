import type { ErrorType, Options } from '../options.ts';

/** A response to send. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  held: readonly number[]; // the numbers of the rows in the body
  page?: 'first' | 'middle' | 'last'; // the position of a page in its list
}

export function jsonAnswer(status: number, body: string, more: Partial<Answer>): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body, held: [], ...more };
}

/** An error response. `waitSeconds` is the time until a retry may succeed, if known. */
export class ApiError extends Error {
  readonly type: ErrorType;
  readonly waitSeconds: number | undefined;

  constructor(type: ErrorType, message: string, waitSeconds?: number) {
    super(message);
    this.type = type;
    this.waitSeconds = waitSeconds;
  }

  answer({ errorStatus, retryAfter }: Options): Answer {
    const { type, message, waitSeconds } = this;
    const answer = jsonAnswer(errorStatus[type], JSON.stringify({ type, message, errors: [] }), {});
    if (type === 'badToken') answer.headers['www-authenticate'] = 'Bearer';
    if (waitSeconds !== undefined && retryAfter === 'seconds')
      answer.headers['retry-after'] = `${waitSeconds}`;
    return answer;
  }
}

/** Parsed query parameters; a repeated one is an array. */
export type Query = Record<string, string | string[] | undefined>;

/** Returns the parameters. Throws an {@link ApiError} if one is repeated, or unknown and that is rejected. */
export function parametersOf<K extends string>(query: Query, known: readonly K[], options: Options) {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) throw new ApiError('badRequest', `${name}: given more than once`);
    if (options.unknownParameters === 'refused' && !(known as readonly string[]).includes(name))
      throw new ApiError('badRequest', `${name}: unknown parameter`);
  }
  return query as Partial<Record<K, string>>;
}

/** Parses an integer. Throws an {@link ApiError} if it is invalid or less than `min`. */
export function parseInteger(text: string | undefined, min: number, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^\d{1,15}$/.test(text) && Number(text) >= min) return Number(text);
  throw new ApiError('badRequest', `expected an integer of at least ${min}, got "${text}"`);
}
