import { expect, test } from 'vitest';
import { StateFormError, statesOf } from './state-forms.ts';

const KNOWN = ['assets', 'alarms'];

function entry(name: string, state: unknown): object {
  return { stream_descriptor: { name }, stream_state: state };
}

function streamState(name: string, state: unknown): object {
  return { type: 'STREAM', stream: entry(name, state) };
}

const ASSETS = ['assets', { offset: 5 }];
const ALARMS = ['alarms', { created_since: '2026-01-01T00:00:00Z', seen: [] }];

test.each<[form: string, document: unknown, states: unknown[]]>([
  ['nothing', null, []],
  ['an empty list', [], []],
  ['an empty object', {}, []],
  [
    'a list of STREAM states',
    [streamState('assets', ASSETS[1]), streamState('alarms', ALARMS[1])],
    [ASSETS, ALARMS],
  ],
  [
    'a list of whole STATE messages',
    [{ type: 'STATE', state: { ...streamState('assets', ASSETS[1]), sourceStats: { recordCount: 1 } } }],
    [ASSETS],
  ],
  [
    'STREAM states with every other member null, as PyAirbyte writes them',
    [
      {
        ...streamState('assets', ASSETS[1]),
        global: null,
        data: null,
        sourceStats: null,
        destinationStats: null,
      },
    ],
    [ASSETS],
  ],
  [
    'LEGACY with every other member null',
    { type: 'LEGACY', stream: null, global: null, data: { assets: ASSETS[1] } },
    [ASSETS],
  ],
  ['one STREAM state', streamState('assets', ASSETS[1]), [ASSETS]],
  ['one STATE message', { type: 'STATE', state: streamState('alarms', ALARMS[1]) }, [ALARMS]],
  ['a STREAM state without a type', { stream: entry('assets', ASSETS[1]) }, [ASSETS]],
  [
    'GLOBAL',
    {
      type: 'GLOBAL',
      global: { shared_state: {}, stream_states: [entry('assets', ASSETS[1]), entry('alarms', ALARMS[1])] },
    },
    [ASSETS, ALARMS],
  ],
  [
    'GLOBAL in a list',
    [{ type: 'GLOBAL', global: { stream_states: [entry('assets', ASSETS[1])] } }],
    [ASSETS],
  ],
  ['GLOBAL without a type', { global: { stream_states: [entry('assets', ASSETS[1])] } }, [ASSETS]],
  ['LEGACY', { type: 'LEGACY', data: { assets: ASSETS[1] } }, [ASSETS]],
  ['LEGACY without a type', { data: { assets: ASSETS[1] } }, [ASSETS]],
  ['a STATE message of the old kind', { type: 'STATE', state: { data: { alarms: ALARMS[1] } } }, [ALARMS]],
  ['an object by stream name', { assets: ASSETS[1], alarms: ALARMS[1] }, [ASSETS, ALARMS]],
  [
    'written by hand',
    { created_since: '2026-01-01T00:00:00Z' },
    [[null, { created_since: '2026-01-01T00:00:00Z' }]],
  ],
  ...['stream', 'Stream'].map((type): [string, unknown, unknown[]] => [
    `the type ${type}`,
    { type: 'State', state: { type, stream: entry('assets', ASSETS[1]) } },
    [ASSETS],
  ]),
  ['a null type', { type: null, stream: entry('assets', ASSETS[1]), global: null, data: null }, [ASSETS]],
  [
    'STREAM with what old platforms read instead',
    { ...streamState('assets', ASSETS[1]), data: { assets: {}, alarms: {} } },
    [ASSETS],
  ],
  ['a stream without a state', [{ type: 'STREAM', stream: { stream_descriptor: { name: 'assets' } } }], []],
  ['a stream whose state is null', [streamState('assets', null)], []],
  ['an empty state', [streamState('assets', {})], [['assets', {}]]],
  [
    'a stream with a namespace is not ours',
    [
      {
        type: 'STREAM',
        stream: { ...entry('assets', {}), stream_descriptor: { name: 'assets', namespace: 'x' } },
      },
    ],
    [['x.assets', {}]],
  ],
  [
    'ignores an empty namespace',
    [
      {
        type: 'STREAM',
        stream: { ...entry('assets', {}), stream_descriptor: { name: 'assets', namespace: '' } },
      },
    ],
    [['assets', {}]],
  ],
])('%s', (_, document, states) => {
  expect(statesOf(document, KNOWN)).toStrictEqual(states);
});

const camelCase = (name: string, state: unknown): object => ({
  streamDescriptor: { name },
  streamState: state,
});
const BY_NAME = { assets: ASSETS[1], alarms: ALARMS[1] };

test.each<[form: string, document: unknown, states: unknown[]]>([
  [
    'the settings page of Airbyte',
    [camelCase('assets', ASSETS[1]), camelCase('alarms', ALARMS[1])],
    [ASSETS, ALARMS],
  ],
  [
    'the API of Airbyte: streams',
    {
      connectionId: 'c',
      stateType: 'stream',
      streamState: [camelCase('assets', ASSETS[1]), camelCase('alarms', null)],
    },
    [ASSETS],
  ],
  [
    'the API of Airbyte: global',
    {
      stateType: 'global',
      globalState: { sharedState: { a: 1 }, streamStates: [camelCase('alarms', ALARMS[1])] },
    },
    [ALARMS],
  ],
  [
    'the API of Airbyte: what state/create_or_update takes',
    {
      connectionId: 'c',
      connectionState: { stateType: 'stream', streamState: [camelCase('assets', ASSETS[1])] },
    },
    [ASSETS],
  ],
  ['the API of Airbyte: legacy', { stateType: 'legacy', state: BY_NAME }, [ASSETS, ALARMS]],
  ['the API of Airbyte: none', { stateType: 'not_set', connectionId: 'c' }, []],
  ['a message in camel case', { type: 'STREAM', stream: camelCase('assets', ASSETS[1]) }, [ASSETS]],
  ['entries in snake case', [entry('assets', ASSETS[1])], [ASSETS]],
  ['Singer', { currently_syncing: null, bookmarks: BY_NAME }, [ASSETS, ALARMS]],
  ['a STATE message of Singer', { type: 'STATE', value: { bookmarks: { alarms: ALARMS[1] } } }, [ALARMS]],
  ['Meltano', { singer_state: { bookmarks: BY_NAME } }, [ASSETS, ALARMS]],
  [
    'Meltano, with states of Airbyte',
    { singer_state: { airbyte_state: [streamState('alarms', ALARMS[1])] } },
    [ALARMS],
  ],
  [
    'a state file of Meltano: what a partial run wrote is newer',
    {
      partial_state: { singer_state: { bookmarks: { alarms: ALARMS[1] } } },
      completed: { singer_state: { bookmarks: { alarms: {}, assets: ASSETS[1] } } },
      updated_at: '2026-01-01T00:00:00',
    },
    [['alarms', {}], ASSETS, ALARMS],
  ],
  ['a variable that holds a text', JSON.stringify([streamState('alarms', ALARMS[1])]), [ALARMS]],
  ['a table that holds states as texts', [entry('alarms', JSON.stringify(ALARMS[1]))], [ALARMS]],
  ['the same by name', { alarms: JSON.stringify(ALARMS[1]) }, [ALARMS]],
  ['a state file of Meltano before the first run', { completed: {}, partial: {} }, []],
])('another tool: %s', (_, document, states) => {
  expect(statesOf(document, KNOWN)).toStrictEqual(states);
});

test('a member that is named like a stream of the config is its state, and wraps nothing', () => {
  const document = { bookmarks: { created_since: 'W' }, state: { created_since: 'V' } };
  expect(statesOf(document, ['bookmarks', 'state'])).toStrictEqual(Object.entries(document));
  // nor does it if the state of an unknown stream may be next to it
  for (const name of ['type', 'stream', 'global', 'data', 'created_since'])
    expect(statesOf({ [name]: ALARMS[1] }, [name])).toStrictEqual([[name, ALARMS[1]]]);
  expect(statesOf({ bookmarks: BY_NAME, trips: {} }, KNOWN)).toStrictEqual([
    ['bookmarks', BY_NAME],
    ['trips', {}],
  ]);
});

test.each<[document: unknown, message: string]>([
  [5, 'must be an object or an array of states'],
  ['text', 'must be an object or an array of states'],
  [[streamState('assets', {}), 5], '[1]: must be an object or an array of states'],
  [{ type: 'STATE' }, 'state: must be an object or an array of states'],
  [{ type: 'STREAM' }, '"stream" is missing'],
  [{ type: 'STREAM', stream: null }, '"stream" is missing'],
  [{ type: 'GLOBAL' }, '"global" is missing'],
  [{ type: 'LEGACY' }, '"data" is missing'],
  [{ type: 'LEGACY', data: { assets: 5 } }, 'assets must be an object: the state of that stream'],
  [{ cdc: false, trips: {} }, 'has none of the forms of a state: the config has no stream "cdc"'],
  [{ type: 'OTHER' }, '"type" must be "STREAM", "GLOBAL" or "LEGACY"'],
  [{ type: 'STREAM', stream: {} }, '"stream.stream_descriptor" is missing'],
  [streamState('assets', []), '"stream.stream_state" must be an object or null, not an array'],
  [
    [{ type: 'STATE', state: streamState('assets', 'x') }],
    '[0]: state: "stream.stream_state" must be an object or null, not a string',
  ],
  [
    { type: 'GLOBAL', global: { stream_states: [{}] } },
    '"global.stream_states[0].stream_descriptor" is missing',
  ],
  [[{ streamDescriptor: {} }], '[0]: "stream.stream_descriptor.name" is missing'],
  [{ stateType: 'stream', streamState: 5 }, 'streamState: must be an object or an array of states'],
  [
    { singer_state: { bookmarks: { alarms: 5 } } },
    'singer_state: bookmarks: alarms must be an object: the state of that stream',
  ],
  [
    { auth_url: 'https://h', 'client_secret:canary': 's', assets: { base_url: 'https://h' } },
    'has none of the forms of a state: the config has no stream "auth_url", "client_secret…"',
  ],
  [
    { log: '{"type":"LOG"}', stream: 'stdout', 'secret:canary': 'x' },
    'has none of the forms of a state: the config has no stream "stream", "secret…"',
  ],
  // a part that would be dropped
  [
    { type: 'incremental', alarms: ALARMS[1] },
    'has none of the forms of a state: the config has no stream "type"',
  ],
  [{ type: 'OTHER', bookmarks: BY_NAME }, '"type" must be "STREAM", "GLOBAL" or "LEGACY"'],
  [{ type: ['RECORD'], stream: entry('assets', {}) }, '"type" must be "STREAM", "GLOBAL" or "LEGACY"'],
  [
    { ...streamState('assets', {}), alarms: ALARMS[1] },
    'has none of the forms of a state: the config has no stream "type"',
  ],
  [
    { created_since: '2026-01-01T00:00:00Z', assets: ASSETS[1] },
    'has none of the forms of a state: the config has no stream "created_since"',
  ],
  [
    { type: 'STREAM', stream: { stream_descriptor: { name: 'alarms' } }, stream_state: ALARMS[1] },
    '"stream_state" is missing next to "stream_state"',
  ],
  [
    { bookmarks: {}, states: [{ alarms: ALARMS[1] }], at: '' },
    'has none of the forms of a state: the config has no stream "states", "at"',
  ],
  [
    { completed: {}, history: JSON.stringify(BY_NAME), at: '' },
    'has none of the forms of a state: the config has no stream "at"',
  ],
  [
    { stream_name: 'alarms', namespace: null, state: { created_since: '2026-01-01T00:00:00Z' } },
    'has none of the forms of a state: the config has no stream "stream_name", "namespace"',
  ],
  [{ stateType: 'stream', stream_state: [] }, 'has no state for its stateType'],
  [{ stateType: 'other', streamState: [] }, 'has no state for its stateType, but streamState'],
  [{ stateType: 'not_set', state: BY_NAME }, 'has no state for its stateType, but state'],
  [{ assets: { offset: 5 }, alarms: [] }, 'alarms must be an object: the state of that stream'],
])('%j is damaged', (document, message) => {
  expect(() => statesOf(document, KNOWN)).toThrow(new StateFormError(message));
});
