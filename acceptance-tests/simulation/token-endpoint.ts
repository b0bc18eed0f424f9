import type { Answer } from './simulated-list.ts';
import { refusal } from './simulated-list.ts';

/** How tokens are issued. */
export interface TokenPlan {
  readonly kind: 'general' | 'scoped' | 'module';
  /** How the answer says for how long it is valid. */
  readonly tells: 'seconds' | 'minutes' | 'milliseconds' | 'expires_in' | 'nothing';
  /** True if the connector keeps tokens between reads; false if each read has to ask for one. */
  readonly areKept: boolean;
}

export interface TokenEndpoint {
  readonly answer: (body: string) => Answer;
  /** True if a token opens a list now. */
  readonly accepts: (authorization: string | undefined, module: string) => boolean;
  /** An answer that a token opened has reached the one who asked. */
  readonly arrived: (authorization: string | undefined, module: string) => void;
  /** Tokens that this read has used for so many lists are not accepted any more. */
  readonly revokeUsed: (lists: number) => void;
  /** Tokens that were revoked so far. */
  readonly revoked: () => number;
  /** A read begins. */
  readonly nextRead: () => void;
  /** Requests so far, and those that were refused because of the documented limit. */
  readonly requests: () => number;
  readonly refusals: () => number;
}

interface Issued {
  /** Modules that this read has used it for. */
  readonly used: Set<string>;
  readonly audience: string;
  readonly scopes: readonly string[] | null;
  readonly endMs: number;
}

const HOUR_MS = 3_600_000;

export function createTokenEndpoint(plan: TokenPlan, now: () => number): TokenEndpoint {
  const valid = new Map<string, Issued>();
  const issuedAs = (authorization: string | undefined): Issued | undefined =>
    valid.get((authorization ?? '').replace('Bearer ', ''));
  const times = new Map<string, number[]>();
  let requests = 0;
  let refusals = 0;
  let revoked = 0;
  return {
    requests: () => requests,
    refusals: () => refusals,
    revoked: () => revoked,
    arrived: (authorization, module) => {
      issuedAs(authorization)?.used.add(module);
    },
    revokeUsed: (lists) => {
      for (const [token, { used, audience }] of valid)
        if (used.size >= (audience === 'API' ? lists : 1) && valid.delete(token)) revoked++;
    },
    nextRead: () => {
      for (const { used } of valid.values()) used.clear();
    },
    accepts: (authorization, module) => {
      const issued = issuedAs(authorization);
      if (issued === undefined || issued.endMs <= now()) return false;
      return issued.audience === 'API'
        ? (issued.scopes ?? [module]).includes(module)
        : issued.audience === module;
    },
    answer: (body) => {
      requests++;
      const { audience, scopes, clientSecret } = JSON.parse(body) as Record<string, unknown>;
      if (clientSecret !== 'secret' || typeof audience !== 'string') return refusal(401, 'unknown client');
      const isGeneral = audience === 'API';
      const [windowMs, most, validityMs] = isGeneral
        ? [24 * HOUR_MS, 15, 24 * HOUR_MS]
        : [HOUR_MS, 3, HOUR_MS];
      const recent = (times.get(audience) ?? []).filter((time) => time > now() - windowMs);
      if (recent.length >= most) {
        refusals++;
        return refusal(429, 'the limit of tokens is reached');
      }
      times.set(audience, [...recent, now()]);
      const accessToken = `token-${requests}`;
      valid.set(accessToken, {
        used: new Set(),
        audience,
        scopes: Array.isArray(scopes) ? (scopes as string[]) : null,
        endMs: now() + validityMs,
      });
      return {
        status: 200,
        body: JSON.stringify({ accessToken, ...validity(plan, validityMs), tokenType: 'bearer' }),
      };
    },
  };
}

function validity({ tells }: TokenPlan, ms: number): object {
  if (tells === 'nothing') return {};
  if (tells === 'expires_in') return { expires_in: ms / 1000 };
  const units = { seconds: 1000, minutes: 60_000, milliseconds: 1 };
  return { expiresIn: ms / units[tells] };
}
