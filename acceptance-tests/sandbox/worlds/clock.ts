/** A world's clock: real time plus an offset. */
export interface Clock {
  /** Whole microseconds since 1970 UTC. */
  nowMicros(): number;
  /** Moves the clock by so many seconds, also backwards. */
  advance(seconds: number): void;
}

/** A clock that starts at real time. */
export function createClock(): Clock {
  let offsetMicros = 0;
  return {
    nowMicros: () => Date.now() * 1000 + offsetMicros,
    advance: (seconds) => {
      offsetMicros += Math.round(seconds * 1_000_000);
    },
  };
}
