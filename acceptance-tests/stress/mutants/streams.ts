import { SIMULATION, plantedIn } from './mutant.ts';

/** Faults in the two kinds of stream: requests, states, samples, the fields that a config names. */
export const STREAMS_MUTANTS = [
  ...plantedIn('src/streams/cursor-stream.ts', SIMULATION, {
    'a read that fails because of its created_field remembers rows that it never emitted':
      '« → const early = (): StreamState => stateFor(position, begin, field, fingerprintOf);\n    ' +
      'yield { rows: [], total: undefined, newest, state: early };\n    »const isUnusable',
  }),
  ...plantedIn(
    'src/streams/cursor-stream.ts',
    ['src/streams/cursor-stream.test.ts', 'acceptance-tests/suites/commands/discover.test.ts'],
    {
      'pages behind the first one are asked for without createdSince':
        'if (createdSince !== null« →  && after === null») query.set(',
      'the catalog names a cursor that the config has called otherwise':
        "default_cursor_field: [«created → 'createdDate'»],",
    },
  ),
  ...plantedIn('src/streams/cursor-state.ts', SIMULATION, {
    'an unfinished state says only where the read began':
      'const isWhole = ranges.length === 1 && ranges[0]?.until === undefined« && isFinished → »;',
    'a finished read lets go of ranges in which rows may still appear':
      '...(«isWhole → isFinished» ? {} : { created_field',
  }),
  ...plantedIn('src/streams/cursor-state.ts', ['src/streams/cursor-state.test.ts'], {
    'cursors of any age are tried':
      'if («!(age >= 0 && age < ALARMS_STATE.cursorLifeMs) ||  → »started === undefined) return null;',
  }),
  ...plantedIn('src/streams/offset-stream.ts', SIMULATION, {
    'a numeric assetId is no identity, so that rows whose text changes are other rows':
      "return id« === undefined → ?.kind !== 'text'» ? rowBytes(row)",
  }),
  ...plantedIn('src/streams/offset-stream.ts', ['src/streams/offset-stream.test.ts'], {
    'a page from further on than asked for is taken': 'if (shown !== undefined && shown «!== → <» asked)',
  }),
  ...plantedIn('src/streams/sample-offset.ts', ['src/streams/sample-offset.test.ts'], {
    'a sample holds rows from the head of the list alone': 'const wanted = «Math.ceil(count / 2) → count»;',
  }),
  ...plantedIn('src/streams/sample-cursor.ts', ['src/streams/sample-cursor.test.ts'], {
    'a row at the end date itself is not sampled': 'const isLate = end !== undefined && instant >« → =» end;',
  }),
  ...plantedIn('src/streams/cursor-fields.ts', ['src/streams/cursor-fields.test.ts'], {
    'an empty text passes for a key': "«value === '' ||  → »!/^(string|number)$/",
  }),
  ...plantedIn(
    'src/streams/stream.ts',
    ['src/streams/offset-stream.test.ts', 'src/streams/cursor-state.test.ts'],
    {
      'a state with one misspelt key stands silently for the start of the list':
        'if (unknown.length > «0 → 1» && !places',
    },
  ),
];
