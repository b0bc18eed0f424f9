import { Refusal } from './refusal.ts';

/** Counts list requests per minute of a world's clock, which docs/api.md leaves open. */
export interface RateLimit {
  /** Counts one request; throws a {@link Refusal} (`rateLimited`) if the minute has had its share. */
  take(perMinute: number | null, nowMicros: number): void;
}

/** A limit with nothing counted yet. */
export function createRateLimit(): RateLimit {
  let minute = 0;
  let count = 0;
  return {
    take: (perMinute, nowMicros) => {
      const now = Math.floor(nowMicros / 60_000_000);
      if (now !== minute) count = 0;
      minute = now;
      count += 1;
      if (perMinute !== null && count > perMinute)
        throw new Refusal(
          'rateLimited',
          `more than ${perMinute} requests in this minute`,
          Math.ceil((now + 1) * 60 - nowMicros / 1_000_000),
        );
    },
  };
}
