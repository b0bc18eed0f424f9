import { SIMULATION, plantedIn } from './mutant.ts';

/** Faults in tokens: limits, files, locks, secrets. */
export const TOKEN_MUTANTS = [
  ...plantedIn('src/token/rules.ts', SIMULATION, {
    'tokens are renewed each second':
      'return nowMs >= «endMs - Math.max(Math.min(TOKEN.marginMs, life / 2), life / 10) → issuedAtMs + 1000»;',
  }),
  ...plantedIn('src/token/rules.ts', ['src/token/rules.test.ts'], {
    'an endpoint that promises years is believed':
      'return answer.askedAtMs + «Math.min(lifetime, validityMs) → lifetime»;',
  }),
  ...plantedIn('src/token/cache.ts', ['src/token/cache.test.ts'], {
    'a token issued late makes the next one exceed the limit': 'return windowMs« + TOKEN.latestIssueMs → »;',
    'a wrong secret seems right while a kept token lives':
      'digest([authUrl, clientId, «clientSecret,  → »audience,',
    'a refusal that another process has met is forgotten':
      'Math.«max → min»(a.refusedUntilMs, b.refusedUntilMs)',
  }),
  ...plantedIn('src/token/store.ts', ['src/token/store.test.ts'], {
    'other users may read kept tokens': "{ flag: 'wx', «mode: 0o600,  → »flush: true }",
    'tokens from a file that a group can write are used': '(mode & «0o077 → 0o007») === 0',
    "a link of somebody else's making is followed": 'O_RDONLY | «O_NOFOLLOW | O_NONBLOCK → O_NONBLOCK»);',
  }),
  ...plantedIn('src/token/file-lock.ts', ['src/token/file-lock.test.ts'], {
    'a process that was slow removes the lock of the next one':
      'if (unlocked === null« && holderOf(path)?.id === own.id → ») remove(path);',
    'a holder in another container is taken for dead':
      'holder.namespace === null« || holder.namespace !== own.namespace → »',
  }),
  ...plantedIn(
    'src/token/acquire.ts',
    ['src/token/provider.test.ts', 'src/token/provider.property.test.ts'],
    {
      'a process that dies while it asks has not counted its token': '«    await saveLog(noted);\n → »',
      'a kept token that claims to live for years is believed':
        '« && token.endMs <= now() + rules.validityMs → »',
    },
  ),
  ...plantedIn('src/token/provider.ts', ['src/token/refusal.test.ts', 'src/token/provider.test.ts'], {
    'a refused token is taken from the file once more': '«    shared.dead.add(token);\n → »',
    'a token shows in the log': '«    shared.onSecret(token.accessToken);\n → »',
  }),
  ...plantedIn('src/token/request.ts', ['src/token/request.test.ts'], {
    'scopes are sent as null to an endpoint that wants none':
      'audience, «...(scopes === null ? {} : { scopes }) → scopes» }',
    'a token that no header can hold is kept':
      "if (typeof accessToken !== 'string'« || !/^[\\x21-\\x7e]+$/.test(accessToken) → »)",
    'a 401 in plain words is put down to a firewall': '«status === 403 &&  → »words.isForeign ? GATEWAY',
  }),
  ...plantedIn(
    'src/token/acquire.ts',
    ['src/token/provider.test.ts', 'src/token/provider.property.test.ts'],
    {
      'attempts that may each cost a token are as many as others':
        '«mayHaveIssued ? TOKEN.attemptsThatMayIssue :  → »TOKEN.attempts;',
    },
  ),
];
