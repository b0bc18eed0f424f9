import type { Mutant } from './mutant.ts';

/** Faults in what is written and read: lines, messages, masks, catalogs, states. */
export const PROTOCOL_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/protocol/state-input.ts',
    text: 'for (const [stream, state] of statesOf(message)) states.set(stream, state);',
    planted:
      'for (const [stream, state] of statesOf(message)) if (!states.has(stream)) states.set(stream, state);',
    breaks: 'of saved output the first state counts',
  },
  {
    file: 'src/protocol/state-input.ts',
    text: 'if (!isCut(line))',
    planted: "if (line !== '')",
    breaks: 'a cut line of saved output is an error',
  },
  {
    file: 'src/protocol/record-lines.ts',
    text: "json.toString('utf8', start, end).replaceAll(/[\\n\\r]/g, ' ')",
    planted: "json.toString('utf8', start, end)",
    breaks: 'a line end inside a row breaks its line',
  },
  {
    file: 'src/protocol/record-lines.ts',
    text: '/[\\u0085\\u2028\\u2029]/g,',
    planted: '/[\\u0085\\u2028\\u2029][^]?/g,',
    breaks: 'a byte is lost behind what is replaced in a row',
  },
  {
    file: 'src/protocol/writer.ts',
    text: 'stdout.write(lines, (error) => {',
    planted: 'resolve();\n      stdout.write(lines, (error) => {',
    breaks: 'a write is taken for done before it is, and its bytes are used again',
  },
  {
    file: 'src/protocol/redactor.ts',
    text: '        JSON.stringify(secret).slice(1, -1),\n',
    planted: '',
    breaks: 'a secret with a quote in it shows inside JSON',
    nearest: ['src/protocol/redactor.test.ts'],
  },
  {
    file: 'src/protocol/redactor.ts',
    text: '.toSorted((a, b) => b.length - a.length)',
    planted: '.toSorted((a, b) => a.length - b.length)',
    breaks: 'of a secret that holds another one the rest shows',
    nearest: ['src/protocol/redactor.test.ts'],
  },
  {
    file: 'src/protocol/writer.ts',
    text: "['LOG', 'TRACE', 'CONNECTION_STATUS']",
    planted: "['LOG', 'TRACE']",
    breaks: 'secrets show in the verdict of a check',
    nearest: ['src/protocol/writer.test.ts'],
  },
  {
    file: 'src/protocol/writer.ts',
    text: "['message', 'internal_message', 'stack_trace']",
    planted: "['message', 'stack_trace']",
    breaks: 'secrets show in the internal message of an error',
    nearest: ['src/protocol/writer.test.ts'],
  },
  {
    file: 'src/protocol/messages.ts',
    text: "failure_type: 'system_error' as const,",
    planted: "failure_type: 'transient_error' as const,",
    breaks: 'a fault of ours is retried for ever',
    nearest: ['src/protocol/messages.test.ts'],
  },
  {
    file: 'src/protocol/messages.ts',
    text: 'quota_reset: quotaResetMs',
    planted: 'quota_reset: Math.floor(quotaResetMs / 1000)',
    breaks: 'a platform is told to wait until 1970',
    nearest: ['src/protocol/messages.test.ts'],
  },
  {
    file: 'src/protocol/catalog-input.ts',
    text: "if (names.indexOf(name) !== index) throw wrong('stream.name', `names ${name} a second time`);",
    planted: '',
    breaks: 'a stream that stands twice in the catalog is read twice',
    nearest: ['src/protocol/catalog-input.test.ts'],
  },
  {
    file: 'src/protocol/state-input.ts',
    text: "[[(namespace ?? '') === '' ? name : `${namespace}.${name}`, entry.stream_state]]",
    planted: '[[name, entry.stream_state]]',
    breaks: "the state of another source's stream is taken for ours",
    nearest: ['src/protocol/state-forms.test.ts', 'src/protocol/state-input.test.ts'],
  },
  {
    file: 'src/protocol/row.ts',
    text: ' || lastFound.alikeSince !== alikeSince',
    planted: '',
    breaks: 'a member is looked for where a row of another shape has it',
    nearest: ['src/protocol/row.test.ts'],
  },
];
