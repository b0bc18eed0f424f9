import { ApiError } from '../sandbox/api/answer.ts';
import { createTokens } from '../sandbox/api/tokens.ts';
import { changedOptions, defaultOptions } from '../sandbox/options.ts';
import type { Scenario } from './scenario.ts';
import { refusal, type Answer, type Surroundings } from './simulated-list.ts';

interface ValidToken {
  readonly issued: string;
  readonly audience: string;
  readonly used: Set<string>;
}

type Tokens = ReturnType<typeof createTokens>;

/** The token endpoint of the sandbox, with tokens that can be revoked. */
export function createTokenEndpoint({ tells }: Scenario['api']['tokens'], { now, matters }: Surroundings) {
  const tokens = createTokens({ clientId: 'me', clientSecret: 'secret' });
  const options = optionsOf(tells);
  /** Each valid token, and the modules that this read has used it for. */
  const valid = new Map<string, ValidToken>();
  /** Requests and refusals for the documented limit are those of this read. */
  const counts = { requests: 0, allRequests: 0, refusals: 0, revoked: 0, expired: 0 };
  return {
    counts,
    /** Notes that a response that needed a token has arrived. */
    arrived: (authorization: string | undefined, module: string) =>
      void valid.get(tokenIn(authorization))?.used.add(module),
    /** Revokes the tokens that this read has used for so many lists. */
    revokeUsed: (lists: number): void => {
      for (const [token, { used, audience }] of valid)
        if (used.size >= (audience === 'API' ? lists : 1) && valid.delete(token)) counts.revoked++;
    },
    startRead: (): void => {
      for (const { used } of valid.values()) used.clear();
      Object.assign(counts, { requests: 0, refusals: 0 });
    },
    accepts: (authorization: string | undefined, module: string): boolean => {
      const modules = modulesOf(tokens, valid.get(tokenIn(authorization))?.issued, now());
      if (modules.length === 0 && valid.delete(tokenIn(authorization))) counts.expired++;
      return modules.includes(module);
    },
    answer: (body: string): Answer => {
      counts.requests++;
      counts.allRequests++;
      try {
        const { audience, response } = tokens.issue(body, options, now() * 1000);
        for (const dimension of ['tokenKind', 'tokenLife', 'tokenStore'] as const) matters(dimension);
        // the tokens of the sandbox are random, so a replay would differ
        const accessToken = `simulated-token-${counts.allRequests}`;
        valid.set(accessToken, { issued: response.accessToken, audience, used: new Set() });
        return { status: 200, body: JSON.stringify({ ...response, accessToken }) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.type === 'overTokenLimit') counts.refusals++;
        return refusal({ status: options.errorStatus[error.type], error: error.message });
      }
    },
  };
}

function optionsOf(tells: Scenario['api']['tokens']['tells']) {
  const units = { seconds: 'seconds', minutes: 'minutes', milliseconds: 'milliseconds' } as const;
  return changedOptions(defaultOptions, {
    tokenFormat: 'opaque',
    expiresInUnit: { ...units, expires_in: 'seconds' as const, nothing: 'absent' as const }[tells],
    expiresInField: tells === 'expires_in' ? tells : 'expiresIn',
  });
}

/** The modules that a token opens; none if it is unknown or has expired. */
function modulesOf(tokens: Tokens, token: string | undefined, nowMs: number): readonly string[] {
  try {
    return token === undefined ? [] : tokens.modulesOf(token, nowMs * 1000);
  } catch {
    return [];
  }
}

function tokenIn(authorization: string | undefined): string {
  return (authorization ?? '').replace('Bearer ', '');
}
