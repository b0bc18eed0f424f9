/** Faults in tokens: limits, files, locks, secrets. */
export const TOKENS = {
  'token/rules < simulation/seeds': {
    'tokens are renewed each second':
      'return nowMs >= «endMs - Math.max(Math.min(TOKEN.marginMs, life / 2), life / 10) → issuedAtMs + 1000»;',
  },
  'token/rules': {
    'an endpoint that promises years is believed':
      'return requestedAtMs + «Math.min(lifetime, validityMs) → lifetime»;',
  },
  'token/rules < token/cache': {
    'a token issued late makes the next one exceed the limit':
      'countsMs: validityMs« + TOKEN.latestIssueMs → » }',
  },
  'token/cache': {
    'a wrong secret seems right while a kept token lives': '([authUrl, clientId, «clientSecret,  → »audience',
    'a refusal that another process has met is forgotten': 'Math.«max → min»(0, ...refusals)',
  },
  'token/cache < token/wrong-clock.property token/cache': {
    'a token from a clock that was ahead is kept for ever':
      '«issuedAtMs > nowMs ? -Infinity :  → »issuedAtMs);',
    'issuances noted by such a clock count for as long': '« && time <= nowMs + TOKEN.latestIssueMs → »',
    'an audience may not be called constructor':
      'return «Object.hasOwn(values, key) ? values[key] : undefined → values[key]»;',
  },
  'token/store': {
    'other users may read kept tokens': "{ flag: 'wx', «mode: 0o600,  → »flush: true }",
    'a file that is not ours is replaced':
      "if («problem !== null → problem === ''») throw new Error(problem);",
  },
  'config/open-file < token/store token/file-lock config/open-file': {
    'tokens from a file that a group can write are used': '(mode & «0o077 → 0o007») === 0',
    'a FIFO in the place of a lock is waited for':
      'const problem = «found.isFile() ? null :  → found.isDirectory() === false ? null : »`',
    'a FIFO without a writer passes for an empty file': 'if («fstatSync(fd).isFIFO() → false»)',
  },
  'token/file-lock': {
    'a process that was slow removes the lock of the next one':
      '«if (holderIn(readOwnFile(path, LOCK.maxBytes))?.id === id)  → »remove(path);',
    'a holder in another container is taken for dead': ' === null« || holder.namespace !== own.namespace → »',
  },
  'token/acquire < token/provider token/provider.property': {
    'a process that dies while it asks has not counted its token': '«  await save(withLog(noted));\n → »',
    'a kept token that claims to live for years counts': '« && token.endMs <= maxEndMs → »',
    'attempts that may cost a token are not fewer':
      '«outcome.mayHaveIssued ? TOKEN.attemptsThatMayIssue :  → »',
  },
  'token/provider < token/refusal token/provider': {
    'a token shows in the log': '«    parts.onSecret(token.accessToken);\n → »',
    'a refused token is taken from the file once more': '«      rejected.add(token);\n → »',
  },
  'token/judge-refusal < token/judge-refusal token/refusal': {
    'a read whose new token is refused too asks for another one':
      'if (hasAnswered && («isUnproven ||  → »!isRepeated))',
    'a 403 in the middle of a read burns a token': 'if («hasAnswered && status === 403 → false») return',
  },
  'token/request': {
    'scopes null are sent where none are wanted': '«...(scopes === null ? {} : { scopes }) → scopes» }',
    'a token that no header can hold is kept': " !== 'string'« || !/^[\\x21-\\x7e]+$/.test(accessToken) → »)",
    'a 401 in plain words is put down to a firewall': '«status === 403 &&  → »excerpt.isNotJson ? GATEWAY',
  },
};
