/** Faults in tokens: limits, files, locks, secrets. */
export const TOKENS = {
  'token/rules < simulation/seeds token/rules token/cache': {
    'tokens are renewed every second':
      'return nowMs >= «endMs - Math.max(Math.min(TOKEN.marginMs, life / 2), life / 10) → issuedAtMs + 1000»;',
    'lifetime of years is trusted': 'return localMs + «Math.min(lifetime, validityMs) → lifetime»;',
    'late issuance exceeds the limit': 'windowMs: rules.validityMs« + TOKEN.latestIssueMs → » }',
  },
  'token/cache < token/cache token/wrong-clock.property token/store': {
    'wrong secret uses a cached token': '([authUrl, clientId, «clientSecret,  → »audience',
    'planted token is used': "whole !== '' && «timingSafeEqual(Buffer.from(found), expected) → true» ?",
    'refusal of another process is ignored': 'Math.«max → min»(0, ...refusals)',
    'token from a fast clock is kept forever':
      'token === undefined« || token.issuedAtMs > nowMs → » ? -Infinity',
    'issuances from a fast clock count forever': '((time) => «time <= nowMs + TOKEN.latestIssueMs → true»)',
    'audience `constructor` fails': ' «Object.hasOwn(values, key) ? values[key] : undefined → values[key]»;',
  },
  'token/store': {
    'cached tokens are readable by others': 'open(path, CREATE, «0o600 → 0o644»)',
    'foreign file is replaced': "if («problem !== null → problem === ''») throw new Error(problem);",
  },
  'config/files < token/store token/file-lock': {
    'token file that the group can read goes unnoticed': '(mode & «0o044 → 0o004») !== 0',
    'FIFO as a lock file blocks': ' = «found.isFile() ? null :  → found.isDirectory() === false ? null : »`',
  },
  'config/open-file': {
    'FIFO without a writer is an empty file': 'if (!isTerminal && !«found.isFIFO() → false» && ',
    'pipe is a second input, which is empty': 'if (!«opened.has(id) → false») return',
  },
  'token/file-lock': {
    'slow process removes a newer lock':
      'return «holderIn(readOwnFile(path, LOCK.maxBytes))?.id === id → path !== id» ? remove',
    'lock in use is broken': 'ticks() - seen.since > «LOCK.staleMs → 0»',
    'lock is broken although its holder changes': 'holder.id !== seen.id« →  && seen.since === 0») seen',
  },
  'token/acquire < token/provider token/provider.property token/renewal': {
    'issuance of a killed process is not counted': '«  await save(withLog(logged));\n → »',
    'cached token with years of lifetime is used': '« && token.endMs <= maxEndMs → »',
    'attempts that may issue a token are not limited':
      'isFinal = «cut >= TOKEN.maxCut → false» || error.failureType',
    'rejected credentials are sent again while a token is valid': "«|| code === 'TOKEN_REFUSED' → »;",
    'a request that was cut is repeated at once': 'TOKEN.endedWaitMs : «cutWaitMs → 0»;',
  },
  'token/provider < token/refusal token/provider token/renewal': {
    'token appears in the log': '«    deps.onSecret(token.accessToken);\n → »',
    'each failed renewal is a warning': 'if («warned.has(error.code) → false») return',
    'rejected token is read from the cache again': '«    rejected.add(refusal.token);\n → »',
  },
  'token/judge-refusal < token/judge-refusal token/refusal': {
    'second rejection requests another token': 'if (hasReturnedPage && («isUnproven ||  → »!isRepeated))',
    '403 during a read costs a token': 'if («hasReturnedPage && status === 403 → false») return',
  },
  'token/request': {
    'null scopes are sent': '«...(scopes === null ? {} : { scopes }) → scopes» }',
    'token invalid in a header is kept': " !== 'string'« || !/^[\\x21-\\x7e]+$/.test(accessToken) → »)",
  },
  'token/refused-request < token/request token/refused-request': {
    'plain 401 is blamed on a gateway': 'isSuspicious = «status === 403 → status === 401»',
    'a quoted request is a reason': "isRejected = saysClientRejected(«words → 'bad secret'»)",
    'rejected credentials are repeated after a 500':
      'return «!saysClientRejected(words) → true» || saysOutage',
    'an outage is blamed on the credentials': '!saysClientRejected(words)« || saysOutage(words) → »;',
  },
  'token/text-body < token/text-body': {
    'a word that may be a token is quoted':
      'printable(said.replaceAll(WORDS, (word) => («mayBeToken(word) → false» ?',
    'a page of another topic is a rate limit': "«head === '' ? shownText(markup) : head → shownText(markup)»",
  },
  'token/token-body < token/token-body token/request': {
    'JSON without a token may pass': '(«saysAnything(value, MAX_DEPTH) → false» && !hasIssued)',
  },
};
