import { SIMULATION, plantedIn } from './mutant.ts';

/** Faults in the two kinds of stream: requests, states, samples, the fields that a config names. */
export const STREAMS_MUTANTS = [
  ...plantedIn('src/streams/cursor-stream.ts', SIMULATION, {
    'a read that fails because of its created_field remembers rows that it never emitted': [
      '    const isUnusable = position.format === null',
      '    yield { rows: [], total: undefined, newest: facts.newest, state: () => stateFor(position, start, field, fingerprintOf) };\n    const isUnusable = position.format === null',
    ],
  }),
  ...plantedIn(
    'src/streams/cursor-stream.ts',
    ['src/streams/cursor-stream.test.ts', 'acceptance-tests/suites/commands/discover.test.ts'],
    {
      'pages behind the first one are asked for without createdSince': [
        'if (createdSince !== null) query.set(',
        'if (createdSince !== null && after === null) query.set(',
      ],
      'the catalog names a cursor that the config has called otherwise': [
        'default_cursor_field: [created],',
        "default_cursor_field: ['createdDate'],",
      ],
    },
  ),
  ...plantedIn('src/streams/cursor-state.ts', SIMULATION, {
    'an unfinished state says only where the read began': [
      'const isWhole = ranges.length === 1 && ranges[0]?.until === undefined && isFinished;',
      'const isWhole = ranges.length === 1 && ranges[0]?.until === undefined;',
    ],
    'a finished read lets go of ranges in which rows may still appear': [
      '...(isWhole ? {} : { created_field',
      '...(isFinished ? {} : { created_field',
    ],
  }),
  ...plantedIn('src/streams/cursor-state.ts', ['src/streams/cursor-state.test.ts'], {
    'cursors of any age are tried': [
      'if (!(age >= 0 && age < ALARMS_STATE.cursorLifeMs) || started === undefined) return null;',
      'if (started === undefined) return null;',
    ],
  }),
  ...plantedIn('src/streams/offset-stream.ts', SIMULATION, {
    'a numeric assetId is no identity, so that rows whose text changes are other rows': [
      'return id === undefined ? rowBytes(row)',
      "return id?.kind !== 'text' ? rowBytes(row)",
    ],
  }),
  ...plantedIn('src/streams/offset-stream.ts', ['src/streams/offset-stream.test.ts'], {
    'a page from further on than asked for is taken': [
      'if (shown !== undefined && shown !== asked)',
      'if (shown !== undefined && shown < asked)',
    ],
  }),
  ...plantedIn('src/streams/sample-offset.ts', ['src/streams/sample-offset.test.ts'], {
    'a sample holds rows from the head of the list alone': [
      'const wanted = Math.ceil(count / 2);',
      'const wanted = count;',
    ],
  }),
  ...plantedIn('src/streams/sample-cursor.ts', ['src/streams/sample-cursor.test.ts'], {
    'a row at the end date itself is not sampled': [
      'const isLate = end !== undefined && instant > end;',
      'const isLate = end !== undefined && instant >= end;',
    ],
  }),
  ...plantedIn('src/streams/cursor-fields.ts', ['src/streams/cursor-fields.test.ts'], {
    'an empty text passes for a key': ["value === '' || !/^(string|number)$/", '!/^(string|number)$/'],
  }),
  ...plantedIn(
    'src/streams/stream.ts',
    ['src/streams/offset-stream.test.ts', 'src/streams/cursor-state.test.ts'],
    {
      'a state with one misspelt key stands silently for the start of the list': [
        'if (unknown.length > 0 && !places',
        'if (unknown.length > 1 && !places',
      ],
    },
  ),
];
