import type { TokenRules } from './token-rules.ts';

/** Counts issuances per audience in rolling windows. */
export interface IssuanceLimit {
  /** Seconds until one more token of the audience may be issued; 0: now. */
  waitSeconds(audience: string, rules: TokenRules, nowMicros: number): number;
  /** Tokens of the audience that count against its limit now; at most the last 100 are remembered. */
  counted(audience: string, rules: TokenRules, nowMicros: number): number;
  /** Notes that a token was issued. */
  issued(audience: string, nowMicros: number): void;
}

/** A limit that has seen no issuance yet. */
export function createIssuanceLimit(): IssuanceLimit {
  const times = new Map<string, number[]>();
  const recent = (audience: string, rules: TokenRules, nowMicros: number): number[] =>
    (times.get(audience) ?? []).filter((time) => time > nowMicros - rules.windowSeconds * 1_000_000);
  return {
    waitSeconds: (audience, rules, nowMicros) => {
      const oldest = recent(audience, rules, nowMicros).at(-rules.issuances);
      if (oldest === undefined) return 0;
      return Math.ceil((oldest + rules.windowSeconds * 1_000_000 - nowMicros) / 1_000_000);
    },
    counted: (audience, rules, nowMicros) => recent(audience, rules, nowMicros).length,
    issued: (audience, nowMicros) => {
      times.set(audience, [...(times.get(audience) ?? []), nowMicros].slice(-100));
    },
  };
}
