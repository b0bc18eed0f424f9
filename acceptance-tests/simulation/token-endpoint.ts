import { ApiError } from '../sandbox/api/answer.ts';
import { createTokens } from '../sandbox/api/tokens.ts';
import { changedOptions, defaultOptions } from '../sandbox/options.ts';
import type { Scenario } from './scenario.ts';
import { refusal } from './simulated-list.ts';
import type { Answer, Surroundings } from './simulated-list.ts';

/** The tokens of the sandbox, which can be revoked here. */
export function createTokenEndpoint({ tells }: Scenario['api']['tokens'], { now, matters }: Surroundings) {
  const tokens = createTokens({ clientId: 'me', clientSecret: 'secret' });
  const options = changedOptions(defaultOptions, {
    tokenFormat: 'opaque',
    expiresInUnit: tells === 'nothing' ? 'absent' : tells === 'expires_in' ? 'seconds' : tells,
    expiresInField: tells === 'expires_in' ? tells : 'expiresIn',
  });
  /** Each token, and the modules that this read has used it for. */
  const valid = new Map<string, { issued: string; isGeneral: boolean; used: Set<string> }>();
  const counts = {
    /** Requests of this read and of all, and those of this read that were refused because of the documented limit. */
    requests: 0,
    allRequests: 0,
    refusals: 0,
    /** Tokens that were revoked so far. */
    revoked: 0,
  };
  return {
    counts,
    /** An answer that a token opened has reached the one who asked. */
    arrived: (authorization: string | undefined, module: string): void => {
      valid.get(tokenIn(authorization))?.used.add(module);
    },
    /** Tokens that this read has used for so many lists are not accepted any more. */
    revokeUsed: (lists: number): void => {
      for (const [token, { used, isGeneral }] of valid)
        if (used.size >= (isGeneral ? lists : 1) && valid.delete(token)) counts.revoked++;
    },
    nextRead: (): void => {
      for (const { used } of valid.values()) used.clear();
      Object.assign(counts, { requests: 0, refusals: 0 });
    },
    /** True if a token opens a list now. */
    accepts: (authorization: string | undefined, module: string): boolean => {
      const token = valid.get(tokenIn(authorization));
      try {
        return token !== undefined && tokens.modulesOf(token.issued, now() * 1000).includes(module);
      } catch {
        return false;
      }
    },
    answer: (body: string): Answer => {
      counts.requests++;
      counts.allRequests++;
      try {
        const { audience, response } = tokens.issue(body, options, now() * 1000);
        for (const dimension of ['tokenKind', 'tokenLife', 'tokenStore'] as const) matters(dimension);
        // the sandbox issues random tokens, which would make every replay another one
        const accessToken = `simulated-token-${counts.allRequests}`;
        const issued = response.accessToken;
        valid.set(accessToken, { issued, isGeneral: audience === 'API', used: new Set() });
        return { status: 200, body: JSON.stringify({ ...response, accessToken }) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.type === 'overTokenLimit') counts.refusals++;
        return refusal(options.errorStatus[error.type], error.message);
      }
    },
  };
}

function tokenIn(authorization: string | undefined): string {
  return (authorization ?? '').replace('Bearer ', '');
}
