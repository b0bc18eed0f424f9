import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { systemClock, type Clock } from '../clock.ts';
import { temporaryFile } from '../config/temporary-file.test-support.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { createWriter } from '../protocol/writer.ts';
import { createRedactor } from '../protocol/redactor.ts';
import type { StandardError } from '../standard-streams.ts';
import { systemIo, type Environment } from './connector.ts';

export const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{"totalCount":12345}}}';

const ALARMS =
  '{"items":[{"alarmId":"b","createdDate":"2026-01-01T00:00:00Z"}],"metadata":{"pagination":{"nextCursor":""}}}';

type Responder = (response: ServerResponse) => unknown;

export interface FakeService {
  readonly address: string;
  readonly requests: readonly string[]; // `METHOD /path?query` of each request
}

/** The token endpoint and both lists at one address; each responds with the entry of `answers` for the end of its path. */
export async function startService(answers: {
  token?: Responder;
  assets?: Responder;
  alarms?: Responder;
}): Promise<FakeService> {
  const requests: string[] = [];
  const responders: [end: RegExp, respond: Responder][] = [
    [/\/token$/, answers.token ?? ((response) => response.end('{"accessToken":"canary-token"}'))],
    [/\/v1\/assets$/, answers.assets ?? ((response) => response.end(PAGE))],
    [/\/v1\/alarms$/, answers.alarms ?? ((response) => response.end(ALARMS))],
  ];
  const { address } = await startLoopback(({ method, url = '' }, response) => {
    requests.push(`${method} ${url}`);
    const [path = ''] = url.split('?');
    const respond = responders.find(([end]) => end.test(path))?.[1];
    if (respond === undefined) response.writeHead(404).end();
    else respond(response);
  });
  return { address, requests };
}

/** A config file with the account of a service. */
export function configFile({ address }: Pick<FakeService, 'address'>, more: object): string {
  const account = { auth_url: `${address}/token`, client_id: 'me', client_secret: 'canary-secret' };
  return temporaryFile(JSON.stringify({ ...account, ...more }));
}

export interface Collected {
  readonly environment: Environment;
  /** The messages so far, but for the line that says where a token is kept. */
  readonly messages: () => readonly Record<string, unknown>[];
  readonly output: () => string;
  /** What was written to stderr so far. */
  readonly shown: () => string;
}

const NOBODY: StandardError = {
  isTerminal: false,
  isStdoutTerminal: false,
  columns: () => 80,
  write: () => undefined,
};

/** A clock whose waits take no time, and advance it. */
function createFastClock(): Clock {
  let skippedMs = 0;
  return {
    ...systemClock,
    now: () => Date.now() + skippedMs,
    ticks: () => performance.now() + skippedMs,
    wait: async (ms, signal) => {
      signal.throwIfAborted();
      skippedMs += ms;
    },
  };
}

/** An environment whose messages are kept, and whose waits take no time. */
export function collect(): Collected {
  const stdout = new PassThrough();
  let text = '';
  const shown: string[] = [];
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const redactor = createRedactor();
  const writer = createWriter(stdout, redactor);
  return {
    environment: {
      writer,
      redactor,
      stderr: { ...NOBODY, write: (message) => shown.push(message) },
      clock: createFastClock(),
      ...systemIo(new AbortController().signal),
      signal: writer.closed,
    },
    shown: () => shown.join(''),
    output: () => text,
    messages: () =>
      text
        .split('\n')
        .slice(0, -1)
        .filter((line) => !line.includes('"message":"requested a token'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
