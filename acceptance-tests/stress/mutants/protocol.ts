import { SIMULATION, plantedIn } from './mutant.ts';

/** Faults in what is written and read: lines, messages, masks, catalogs, states. */
export const PROTOCOL_MUTANTS = [
  ...plantedIn('src/protocol/state-input.ts', SIMULATION, {
    'of saved output the first state counts':
      'for (const [stream, state] of statesOf(message)) « → if (!states.has(stream)) »states.set(stream, state);',
    'a cut line of saved output is an error': "if («!isCut(line) → line !== ''»)",
  }),
  ...plantedIn(
    'src/protocol/state-input.ts',
    ['src/protocol/state-forms.test.ts', 'src/protocol/state-input.test.ts'],
    {
      "the state of another source's stream is taken for ours":
        "[[«(namespace ?? '') === '' ? name : `${namespace}.${name}` → name», entry.stream_state]]",
    },
  ),
  ...plantedIn('src/protocol/record-lines.ts', SIMULATION, {
    'a line end inside a row breaks its line': 'if (hasLineEnds« →  && start > end») blankLineEnds',
    'a byte is lost behind what is replaced in a row': 'from = at + what.length« →  + 1»;',
  }),
  ...plantedIn('src/protocol/writer.ts', SIMULATION, {
    'a write is taken for done before it is, and its bytes are used again':
      '« → resolve();\n      »stdout.write(lines, (error) => {',
  }),
  ...plantedIn('src/protocol/writer.ts', ['src/protocol/writer.test.ts'], {
    'secrets show in the verdict of a check': "['LOG', 'TRACE'«, 'CONNECTION_STATUS' → »]",
    'secrets show in the internal message of an error': "['message', '«internal_message', ' → »stack_trace']",
  }),
  ...plantedIn('src/protocol/redactor.ts', ['src/protocol/redactor.test.ts'], {
    'a secret with a quote in it shows inside JSON': '«        JSON.stringify(secret).slice(1, -1),\n → »',
    'of a secret that holds another one the rest shows':
      '.toSorted((a, b) => «b.length - a → a.length - b».length)',
  }),
  ...plantedIn('src/protocol/messages.ts', ['src/protocol/messages.test.ts'], {
    'a fault of ours is retried for ever': "failure_type: '«system_error → transient_error»' as const,",
    'a platform is told to wait until 1970': 'quota_reset: «quotaResetMs → Math.floor(quotaResetMs / 1000)»',
  }),
  ...plantedIn('src/protocol/catalog-input.ts', ['src/protocol/catalog-input.test.ts'], {
    'a stream that stands twice in the catalog is read twice':
      "«if (names.indexOf(name) !== index) throw wrong('stream.name', `names ${name} a second time`); → »",
  }),
  ...plantedIn('src/protocol/row.ts', ['src/protocol/row.test.ts'], {
    'a member is looked for where a row of another shape has it':
      '« || lastFound.alikeSince !== alikeSince → »',
  }),
];
