import type { Mutant } from './mutant.ts';

/** Faults in the two kinds of stream: requests, states, samples, the fields that a config names. */
export const STREAMS_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/streams/cursor-stream.ts',
    text: '    const isUnusable = position.format === null',
    planted:
      '    yield { rows: [], total: undefined, newest: facts.newest, state: () => stateFor(position, start, field, fingerprintOf) };\n' +
      '    const isUnusable = position.format === null',
    breaks: 'a read that fails because of its created_field remembers rows that it never emitted',
  },
  {
    file: 'src/streams/cursor-state.ts',
    text: 'const isWhole = ranges.length === 1 && ranges[0]?.until === undefined && isFinished;',
    planted: 'const isWhole = ranges.length === 1 && ranges[0]?.until === undefined;',
    breaks: 'an unfinished state says only where the read began',
  },
  {
    file: 'src/streams/cursor-state.ts',
    text: '...(isWhole ? {} : { created_field',
    planted: '...(isFinished ? {} : { created_field',
    breaks: 'a finished read lets go of ranges in which rows may still appear',
  },
  {
    file: 'src/streams/offset-stream.ts',
    text: 'return id === undefined ? rowBytes(row)',
    planted: "return id?.kind !== 'text' ? rowBytes(row)",
    breaks: 'a numeric assetId is no identity, so that rows whose text changes are other rows',
  },
  {
    file: 'src/streams/cursor-state.ts',
    text: 'if (!(age >= 0 && age < ALARMS_STATE.cursorLifeMs) || started === undefined) return null;',
    planted: 'if (started === undefined) return null;',
    breaks: 'cursors of any age are tried',
    nearest: ['src/streams/cursor-state.test.ts'],
  },
  {
    file: 'src/streams/cursor-stream.ts',
    text: 'if (createdSince !== null) query.set(',
    planted: 'if (createdSince !== null && after === null) query.set(',
    breaks: 'pages behind the first one are asked for without createdSince',
    nearest: ['src/streams/cursor-stream.test.ts'],
  },
  {
    file: 'src/streams/cursor-stream.ts',
    text: 'default_cursor_field: [created],',
    planted: "default_cursor_field: ['createdDate'],",
    breaks: 'the catalog names a cursor that the config has called otherwise',
    nearest: ['acceptance-tests/suites/commands/discover.test.ts'],
  },
  {
    file: 'src/streams/offset-stream.ts',
    text: 'if (shown !== undefined && shown !== asked)',
    planted: 'if (shown !== undefined && shown < asked)',
    breaks: 'a page from further on than asked for is taken',
    nearest: ['src/streams/offset-stream.test.ts'],
  },
  {
    file: 'src/streams/sample-offset.ts',
    text: 'const wanted = Math.ceil(count / 2);',
    planted: 'const wanted = count;',
    breaks: 'a sample holds rows from the head of the list alone',
    nearest: ['src/streams/sample-offset.test.ts'],
  },
  {
    file: 'src/streams/sample-cursor.ts',
    text: 'const isLate = end !== undefined && instant > end;',
    planted: 'const isLate = end !== undefined && instant >= end;',
    breaks: 'a row at the end date itself is not sampled',
    nearest: ['src/streams/sample-cursor.test.ts'],
  },
  {
    file: 'src/streams/cursor-fields.ts',
    text: "value === '' || !/^(string|number)$/",
    planted: '!/^(string|number)$/',
    breaks: 'an empty text passes for a key',
    nearest: ['src/streams/cursor-fields.test.ts'],
  },
  {
    file: 'src/streams/stream.ts',
    text: 'if (unknown.length > 0 && !places',
    planted: 'if (unknown.length > 1 && !places',
    breaks: 'a state with one misspelt key stands silently for the start of the list',
    nearest: ['src/streams/offset-stream.test.ts', 'src/streams/cursor-state.test.ts'],
  },
];
