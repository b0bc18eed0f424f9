/** Faults in what is written and read: lines, messages, masks, catalogs, states. */
export const PROTOCOL = {
  'config/state-input < simulation/seeds': {
    'of saved output the first state counts': 'found.states) « → if (!states.has(stream)) »states.set(',
    'a cut line of saved output is an error': "if (!«CUT_LINE.test(text) → (text === '')»)",
  },
  'config/state-input < config/state-forms config/state-input': {
    "the state of another source's stream is taken for ours":
      "owner = «(namespace ?? '') === '' ? name : `${namespace}.${name}` → name»;",
  },
  'protocol/record-lines < simulation/seeds': {
    'a line end inside a row breaks its line': 'if (hasRaw« →  && start > end»)\n',
    'a byte is lost behind what is replaced in a row': 'from = next.at + next.bytes.length« →  + 1»;',
  },
  'protocol/writer < simulation/seeds': {
    'a write is taken for done before it is': 'stdout.write(lines«, resolve → );\n      resolve(null»);',
  },
  'protocol/writer': {
    'secrets show in the verdict of a check': "['LOG', 'TRACE'«, 'CONNECTION_STATUS' → »]",
    'secrets show in the internal message of an error': "['message', '«internal_message', ' → »stack_trace']",
  },
  'protocol/redactor': {
    'a part of a secret that was cut off shows':
      'const count = «Math.min(form.length, minMasked) → form.length»;',
    'of secrets that overlap the rest of the longer one shows':
      'end = «Math.max(end, ends[inside] ?? 0) → end»;',
    'a user name is masked for what it has in common with the secret': 'if («!isExposed → true») ends',
  },
  'protocol/escapes < protocol/redactor.property': {
    'a secret shows in a URL within JSON': 'for (const { to: after, text: sign } of steps« → .slice(0, 1)»)',
    'a secret shows with its slashes escaped': "'\\\\': '\\\\', «'/': '/', → »",
  },
  'protocol/messages': {
    'a fault of ours is retried for ever': "failure_type: '«system_error → transient_error»' as const,",
    'a platform is told to wait until 1970': 'quota_reset: «quotaResetMs → Math.floor(quotaResetMs / 1000)»',
  },
  'config/catalog-input': {
    'a stream that stands twice in the catalog is read twice': 'if («named.has(name) → false»)',
  },
  'rows/row': {
    'a member is sought where a row of another shape has it': '« || lastFound.alikeSince !== alikeSince → »',
  },
};
