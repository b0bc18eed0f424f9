import { expect, test } from 'vitest';
import { statesOf } from './state-forms.ts';

const KNOWN = ['assets', 'alarms'];

function streamState(name: string, state: unknown): object {
  return { type: 'STREAM', stream: { stream_descriptor: { name }, stream_state: state } };
}

const ASSETS = ['assets', { offset: 5 }] as const;
const ALARMS = ['alarms', { created_since: '2026-01-01T00:00:00Z', seen: [] }] as const;

test.each<[what: string, document: unknown, states: unknown[]]>([
  [
    'a stream of which an old CDK wrote that it has no state',
    [streamState('assets', { sync_mode: 'full_refresh' }), streamState('alarms', ALARMS[1])],
    [ALARMS],
  ],
  [
    'the same by name',
    { assets: { sync_mode: 'full_refresh' }, alarms: { ...ALARMS[1], sync_mode: null } },
    [ALARMS],
  ],
  ['a stream whose state is null, by name', { assets: ASSETS[1], alarms: null }, [ASSETS]],
  [
    'flags and numbers beside states of streams',
    { cdc: false, at: 5, other: null, alarms: ALARMS[1] },
    [ALARMS],
  ],
  ['the same in LEGACY', { type: 'LEGACY', data: { cdc: false, alarms: ALARMS[1] } }, [ALARMS]],
  [
    'members that are null',
    [
      streamState('alarms', { ...ALARMS[1], read_at: null, left_out: null, open: [{ since: null }, null] }),
      streamState('assets', { ...ASSETS[1], head: null, rows: null }),
    ],
    [['alarms', { ...ALARMS[1], open: [{}, null] }], ASSETS],
  ],
  ['the same by hand', { created_since: 'W', seen: null }, [[null, { created_since: 'W' }]]],
  [
    'a null that says something',
    streamState('alarms', { created_since: 'W', confirmed_since: null }),
    [['alarms', { created_since: 'W', confirmed_since: null }]],
  ],
  [
    'nothing but null, which is damaged',
    { alarms: { created_since: null } },
    [['alarms', { created_since: null }]],
  ],
])('what holds no state: %s', (_, document, states) => {
  expect(statesOf(document, KNOWN)).toStrictEqual(states);
});
