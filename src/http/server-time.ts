import type { HttpResponse } from './request.ts';

/** Server time not later than the answer, ms since the epoch, from its `Date` header; undefined where there is none. */
export function serverTimeOf(response: HttpResponse): number | undefined {
  const date = Date.parse(response.headers.date ?? '');
  return Number.isNaN(date) ? undefined : Math.floor(date - response.elapsedMs);
}
