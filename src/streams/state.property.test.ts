import { createReadStream, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { validConfig } from '../config/valid-config.test-support.ts';
import { nearValid, withSlip } from '../config/near-valid.test-support.ts';
import { loadState } from '../config/state-input.ts';
import { temporaryFile } from '../config/temporary-file.test-support.ts';
import { isConnectorError } from '../errors.ts';
import { runs } from '../property-runs.test-support.ts';
import { configuredStreams } from './registry.ts';
import type { SourceStream } from './stream.ts';

const ANCHORS = ['AAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBB'];
const ASSETS = { offset: 1500, anchors: ANCHORS, head: ANCHORS, inserted: [], rows: 1500 };
const ALARMS = {
  created_since: '2026-01-01T00:00:00.123Z',
  seen: ANCHORS,
  open: [
    {
      since: '2026-01-01T00:00:00.123Z',
      chain: {
        after: 'cursor',
        saved_at: new Date().toISOString(),
        since: '2025-12-31T23:59:59.122Z',
        started: '2026-01-02T00:00:00Z',
      },
    },
  ],
};

function entry(name: string, state: unknown): object {
  return { stream_descriptor: { name }, stream_state: state };
}

const STREAMS = [
  { type: 'STREAM', stream: entry('assets', ASSETS) },
  { type: 'STREAM', stream: entry('alarms', ALARMS) },
];
const DOCUMENTS = [
  STREAMS,
  { type: 'GLOBAL', global: { stream_states: [entry('assets', ASSETS), entry('alarms', ALARMS)] } },
  { type: 'LEGACY', data: { assets: ASSETS, alarms: ALARMS } },
  { assets: ASSETS, alarms: ALARMS },
];
const BY_HAND = {
  assets: { offset: 1500, anchors: ANCHORS },
  alarms: { created_since: '2026-01-01T00:00:00Z' },
};
const OUTPUT = [
  '{"type":"LOG","log":{"level":"INFO","message":"x"}}',
  ...STREAMS.map((state) => JSON.stringify({ type: 'STATE', state })),
  '',
].join('\n');

async function words(): Promise<void> {}

/** Returns the first request of each stream for a state. */
async function firstQueries(path: string): Promise<Record<string, string>> {
  const loaded = await loadState(path, [], createReadStream);
  // a state without a stream name can only be that of alarms here
  const states = new Map([...loaded.states].map(([name, state]) => [name ?? 'alarms', state]));
  const queries: Record<string, string> = {};
  for (const name of ['assets', 'alarms']) {
    const stream = streamOf(name, (query) => {
      queries[name] ??= query;
    });
    const batches = stream.read({
      syncMode: 'incremental',
      state: states.get(name) ?? null,
      limitRows: null,
      signal: new AbortController().signal,
      now: Date.now,
      sleep: async () => undefined,
      info: words,
      warn: words,
      onWait: words,
    });
    for await (const _ of batches) continue;
  }
  for (const name of states.keys()) if (queries[name] === undefined) queries[name] = 'of another stream';
  return queries;
}

/** A stream whose list is empty. */
function streamOf(name: string, asked: (query: string) => void): SourceStream {
  const client: ListClient = {
    get: async (query) => {
      asked(query.toString());
      return {
        rows: [],
        pagination: {},
        serverTimeMs: Date.now(),
        sentAtMs: Date.now(),
        receivedAtMs: Date.now(),
      };
    },
  };
  const base_url = 'https://fleet.example';
  const config = validConfig({
    auth_url: base_url,
    client_id: 'me',
    client_secret: 'secret',
    assets: { base_url },
    alarms: { base_url, created_field: 'c' },
  });
  const stream = configuredStreams(config, () => client).find((one) => one.name === name);
  if (stream === undefined) throw new Error(`no stream ${name}`);
  return stream;
}

/** Returns the message of STATE_INVALID, or the first requests; throws any other error. */
async function outcome(path: string): Promise<string | Record<string, string>> {
  try {
    return await firstQueries(path);
  } catch (error) {
    if (!isConnectorError(error, 'STATE_INVALID')) throw error;
    return error.message;
  }
}

test('a valid state resumes where it stopped', async () => {
  for (const document of [...DOCUMENTS.map((one) => JSON.stringify(one)), OUTPUT])
    expect(await outcome(temporaryFile(document))).toStrictEqual({
      assets: 'limit=500&offset=1499',
      alarms: 'createdSince=2025-12-31T23%3A59%3A00.000Z',
    });
});

test('any state file leads to a valid read, or to an error that names the file or the stream and the place', async () => {
  const path = temporaryFile('');
  const property = fc.asyncProperty(nearValid([...DOCUMENTS, OUTPUT]), async (bytes) => {
    writeFileSync(path, bytes);
    const found = await outcome(path);
    if (typeof found !== 'string') return;
    expect(found).toMatch(new RegExp(`^state (${path}|of (assets|alarms)): .{10,}`, 's'));
    expect(found.length).toBeLessThan(3000);
  });
  await fc.assert(property, { numRuns: runs(1000, 1 / 20) });
});

test('a typo in a name never makes a read silently start from the beginning', async () => {
  const path = temporaryFile('');
  const property = fc.asyncProperty(withSlip([...DOCUMENTS, BY_HAND]), async ({ document, name }) => {
    writeFileSync(path, JSON.stringify(document));
    const found = await outcome(path);
    // an error, or a log line that names what is ignored
    if (typeof found === 'string' || Object.values(found).includes('of another stream')) return;
    expect(found['assets'], name).not.toBe('limit=500&offset=0');
    expect(found['alarms'], name).not.toBe('');
  });
  await fc.assert(property, { numRuns: runs(1000, 1 / 20) });
});

test.each([
  ['bytes that are no text', Buffer.from(JSON.stringify(STREAMS[1]).replace('alarms', '\xffx'), 'latin1')],
  [
    'a misspelled key instead of the position',
    Buffer.from('{"alarms":{"created_sinc":"2026-01-01T00:00:00Z"}}'),
  ],
  [
    'a state under another name',
    Buffer.from('{"type":"STREAM","stream":{"stream_descriptor":{"name":"alarms"},"state":{}}}'),
  ],
])('%s: refused', async (_, bytes) => {
  expect(await outcome(temporaryFile(bytes))).toMatch(/^state /);
});
