import { isConnectorError } from '../errors.ts';
import { requestToken } from './request-token.ts';
import type { Credentials } from './request-token.ts';
import type { TokenScope } from './audience.ts';

export interface TokenProvider {
  /** The bearer token for a scope: one request per scope and process, however many ask at once (API document 5.6). */
  readonly token: (scope: TokenScope, signal: AbortSignal) => Promise<string>;
}

export interface TokenProviderParts {
  readonly credentials: Credentials;
  /** Called before each token request; it is sent once this resolves. */
  readonly onRequest: (signal: AbortSignal) => Promise<void>;
  /** Told of each token before it is used, so that it can be kept out of every output. */
  readonly onSecret: (token: string) => void;
  /** Keeps secrets out of what is quoted of an answer. */
  readonly redact: (text: string) => string;
}

interface Asked {
  readonly token: Promise<string>;
  /** Of the caller who came first: its end is the end of the request. */
  readonly signal: AbortSignal;
}

/** Tokens of one credential. A failed request is remembered too: asking again could only burn another issuance. */
export function createTokenProvider(parts: TokenProviderParts): TokenProvider {
  const asked = new Map<string, Asked>();
  const ask = async (scope: TokenScope, signal: AbortSignal): Promise<string> => {
    await parts.onRequest(signal);
    const token = await requestToken(parts.credentials, scope, signal, parts.redact);
    parts.onSecret(token);
    return token;
  };
  return {
    token: async (scope, signal) => {
      const key = JSON.stringify([scope.audience, scope.scopes]);
      for (;;) {
        signal.throwIfAborted();
        const current = asked.get(key) ?? { token: ask(scope, signal), signal };
        asked.set(key, current);
        try {
          return await current.token;
        } catch (error) {
          if (!current.signal.aborted || isConnectorError(error, null)) throw error;
          // that caller gave up, which is no answer for the others
          if (asked.get(key) === current) asked.delete(key);
        }
      }
    },
  };
}
