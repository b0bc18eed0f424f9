import { Refusal } from '../api/refusal.ts';
import type { Knobs } from '../knobs/knobs.ts';
import { createIssuanceLimit } from './issuance-limit.ts';
import { readTokenRequest, type Credentials } from './token-request.ts';
import { generalAudience, rulesOf } from './token-rules.ts';
import { jwtToken, opaqueToken } from './token-text.ts';

/** What has been taken of an issuance limit. */
export interface TokenUse {
  readonly audience: string;
  /** Tokens issued in the rolling window that ends now. */
  readonly issued: number;
  readonly limit: number;
  readonly windowSeconds: number;
  /** Seconds until one more may be issued; 0: now. */
  readonly waitSeconds: number;
}

/** Issues a world's tokens and knows those that are valid. */
export interface TokenDesk {
  /** The response body for a token request. Throws a {@link Refusal}. */
  issue(body: unknown, knobs: Knobs, nowMicros: number): { audience: string; response: object };
  /** The module audiences that a token opens. Throws a {@link Refusal} (`badToken`) if it is unknown or has expired. */
  modulesOf(token: string, nowMicros: number): readonly string[];
  /** The limits as they stand: of the general audience, and of each module. */
  uses(knobs: Knobs, nowMicros: number): TokenUse[];
}

const unitSeconds = { seconds: 1, minutes: 60, hours: 3600, milliseconds: 0.001 } as const;

/** A desk that has issued nothing yet. */
export function createTokenDesk(credentials: Credentials): TokenDesk {
  const limit = createIssuanceLimit();
  const valid = new Map<string, { modules: readonly string[]; endMicros: number }>();
  return {
    issue: (body, knobs, nowMicros) => {
      const order = readTokenRequest(body, credentials, Object.values(knobs.audiences));
      const { audience, modules, rules } = order;
      const wait = limit.waitSeconds(audience, rules, nowMicros);
      if (knobs.tokenLimits && wait > 0)
        throw new Refusal('overTokenLimit', `the issuance limit of audience ${audience} is reached`, wait);
      limit.issued(audience, nowMicros);

      // The end falls on a whole second, as the exp claim of a JWT says it.
      const issuedSeconds = Math.floor(nowMicros / 1_000_000);
      const token =
        knobs.tokenFormat === 'jwt' ? jwtToken(credentials.clientId, order, issuedSeconds) : opaqueToken();
      for (const [old, { endMicros }] of valid) if (endMicros <= nowMicros) valid.delete(old);
      valid.set(token, { modules, endMicros: (issuedSeconds + rules.validitySeconds) * 1_000_000 });
      return { audience, response: responseBody(token, rules.validitySeconds, knobs) };
    },
    modulesOf: (token, nowMicros) => {
      const grant = valid.get(token);
      if (grant === undefined || grant.endMicros <= nowMicros)
        throw new Refusal('badToken', 'the token is unknown or has expired');
      return grant.modules;
    },
    uses: (knobs, nowMicros) =>
      [...new Set([generalAudience, ...Object.values(knobs.audiences)])].map((audience) => {
        const rules = rulesOf(audience);
        return {
          audience,
          issued: limit.counted(audience, rules, nowMicros),
          limit: rules.issuances,
          windowSeconds: rules.windowSeconds,
          waitSeconds: limit.waitSeconds(audience, rules, nowMicros),
        };
      }),
  };
}

function responseBody(accessToken: string, validitySeconds: number, knobs: Knobs): object {
  const unit = knobs.expiresInUnit;
  const expires = unit === 'absent' ? {} : { [knobs.expiresInField]: validitySeconds / unitSeconds[unit] };
  return { accessToken, ...expires, tokenType: knobs.tokenType };
}
