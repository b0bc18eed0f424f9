/** Faults in output and input: lines, messages, masking, catalogs, states. */
export const PROTOCOL = {
  'config/state-input < simulation/seeds config/state-input': {
    'first state of saved output counts': 'of found) « → if (!states.has(stream)) »states.set(',
    'truncated line of saved output is an error':
      "message === undefined && «TRUNCATED_LINE.test(text) → text === ''»",
  },
  'config/state-forms < config/state-forms config/state-nulls config/state-loggers': {
    'null that means the beginning of a list counts as absent':
      "member !== null« || name === 'confirmed_since' → »",
    'state by name between messages is taken for text': 'isObject(«decoded(state) → 0»)) ||',
    'state of another namespace is used': "«(namespace ?? '') === '' ? name : `${namespace}.${name}` → name»",
    'stream with the name of a wrapper is taken for one':
      '«known.includes(name) && !isContent(name) → false»',
    'older state of Meltano replaces the newer one': 'return «WRAPPERS → WRAPPERS.toReversed()».flatMap(',
  },
  'protocol/record-lines < simulation/seeds': {
    'newline in a row breaks its line': 'if (hasRaw« →  && start > end»)\n',
    'byte after a replacement is lost': 'from = next.at + next.bytes.length« →  + 1»;',
  },
  'protocol/writer < simulation/seeds protocol/writer': {
    'write counts as done too early': 'stdout.write(lines«, resolve → );\n      resolve(null»);',
    'secrets appear in the check result': "['LOG', 'TRACE'«, 'CONNECTION_STATUS' → »]",
    'secrets appear in internal messages': "['message', '«internal_message', ' → »stack_trace']",
  },
  'protocol/redactor < protocol/redactor protocol/redactor.property': {
    'truncated secret is not masked': 'const length = «Math.min(form.length, minMasked) → form.length»;',
    'overlapping secrets are partly visible': 'isExposed« →  && hidden[start] === 0») hidden',
    'user name is masked': 'if («!isExposed → true») hidden',
    'secret in a form is not masked': "(text: string): string => text.«replaceAll('+', ' ') → slice()»;",
    'decoded secret of an address is not masked': 'of «readingsOf(secret) → []») add',
  },
  'protocol/escapes < protocol/redactor protocol/redactor.property': {
    'secret with escaped slashes is not masked': '|[^«a → /a»-zA-Z\\d])/;',
    'secret in escapes within escapes is not masked': 'MAX_DEPTH = «8 → 1»;',
    'secret that looks like another escape is not masked': 'KINDS = [«[OCTET], [BACKSLASH], [ENTITY], → »',
  },
  'protocol/messages': {
    'internal error is retryable': "failure_type: '«system_error → transient_error»' as const,",
    'quota_reset is in seconds': 'quota_reset: «quotaResetMs → Math.floor(quotaResetMs / 1000)»',
  },
  'config/catalog-input': {
    'duplicate stream in the catalog is accepted': 'if («named.has(name) → false»)',
  },
  'rows/slices < sync/read-stream rows/slices': {
    'large page blocks the event loop': 'if («size >= MAX_BYTES → false» ||',
    'signal takes effect only after a large page': 'await nextTurn();\n«  signal.throwIfAborted();\n → »',
  },
  'rows/row': {
    'member position of another row shape is used': '« || lastFound.alikeSince !== alikeSince → »',
  },
};
