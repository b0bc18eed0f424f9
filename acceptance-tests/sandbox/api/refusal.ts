import type { Knobs, Outcome } from '../knobs/knobs.ts';
import type { Answer } from './answer.ts';

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

/** The answer to a refused request; its status, body and Retry-After follow the knobs. */
export function refusalAnswer(refusal: Refusal, knobs: Knobs, nowMicros: number): Answer {
  const { outcome, message, waitSeconds } = refusal;
  const headers: Record<string, string> = {};
  if (outcome === 'badToken') headers['www-authenticate'] = 'Bearer';
  if (waitSeconds !== undefined && knobs.retryAfter === 'seconds')
    headers['retry-after'] = String(waitSeconds);
  if (waitSeconds !== undefined && knobs.retryAfter === 'date')
    headers['retry-after'] = new Date(nowMicros / 1000 + waitSeconds * 1000).toUTCString();
  const status = knobs.errorStatus[outcome];
  if (knobs.errorBody === 'empty') return { status, headers, body: '', rows: 0 };
  const json = knobs.errorBody === 'json';
  headers['content-type'] = `${json ? 'application/json' : 'text/plain'}; charset=utf-8`;
  const body = json ? JSON.stringify({ type: outcome, message, errors: [] }) : message;
  return { status, headers, body, rows: 0 };
}
