import type { TokenRules } from './token-rules.ts';

/** Counts issuances per audience in rolling windows (API document 8). */
export interface IssuanceLimit {
  /** Seconds until one more token of the audience may be issued; 0: now. */
  waitSeconds(audience: string, rules: TokenRules, nowMicros: number): number;
  /** Notes that a token was issued. */
  issued(audience: string, nowMicros: number): void;
}

/** A limit that has seen no issuance yet. */
export function createIssuanceLimit(): IssuanceLimit {
  const times = new Map<string, number[]>();
  return {
    waitSeconds: (audience, rules, nowMicros) => {
      const windowMicros = rules.windowSeconds * 1_000_000;
      const recent = (times.get(audience) ?? []).filter((time) => time > nowMicros - windowMicros);
      const oldest = recent.at(-rules.issuances);
      return oldest === undefined ? 0 : Math.ceil((oldest + windowMicros - nowMicros) / 1_000_000);
    },
    issued: (audience, nowMicros) => {
      times.set(audience, [...(times.get(audience) ?? []), nowMicros].slice(-100));
    },
  };
}
