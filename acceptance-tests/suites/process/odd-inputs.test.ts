import { spawnSync } from 'node:child_process';
import { closeSync, constants, lstatSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { fileKey } from '../../../src/token/cache.ts';
import { fastWaits } from '../../support/fast-time.ts';
import { startConnector } from '../../support/start-connector.ts';
import { outputOf } from '../conformance/validate-output.ts';
import { useRowApi } from './process-fixture.ts';

const MIB = 1024 ** 2;
const STATE = '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"x"}}}}';
const file = (text: string | Buffer) => (path: string) => writeFileSync(path, text);
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `"key${at}":1`).join(',');

/** What may be at the path of any file that the program reads. */
const ODDITIES: readonly [what: string, put: (path: string) => unknown][] = [
  ['nothing', file('')],
  ['whitespace', file(' \n'.repeat(MIB))],
  ['bytes that are not text', file(Buffer.alloc(MIB, 0xff))],
  ['zeros', file(Buffer.alloc(MIB))],
  ['truncated JSON', file('{"auth_url":"')],
  ['20 MB of one string', file(`{"auth_url":"${'x'.repeat(20 * MIB)}"}`)],
  ['a string of escapes', file(`{"client_secret":"${'\\n'.repeat(3 * MIB)}"}`)],
  ['an array in 100,000 arrays', file('['.repeat(100_000) + ']'.repeat(100_000))],
  ['300,000 keys', file(`{${keys(300_000)}}`)],
  ['names of every object', file('{"__proto__":{"a":1},"constructor":{"a":1},"streams":[]}')],
  ['20,000 joints on a truncated line', file(`${STATE.slice(0, -1)}${'}}{'.repeat(20_000)}`)],
  ['5,000 messages on one line', file(STATE.repeat(5_000))],
  [
    'a row of 70 MB',
    file(`{"type":"RECORD","record":{"data":{"a":"${'}}{'.repeat(23 * MIB)}"}}}\n${STATE}\n`),
  ],
  ['a folder', mkdirSync],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a link to an endless device', (path) => symlinkSync('/dev/zero', path)],
  ['a link to nothing', (path) => symlinkSync(`${path}-`, path)],
  ['a FIFO without a writer', (path) => spawnSync('mkfifo', [path])],
];

/** Opens a FIFO for writing once it is open for reading, and writes nothing. */
async function silentWriter(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      await delay(20);
    }
  }
}

const ALL = ['check', 'discover', 'read'];
/** The commands that read a file, by its place. */
const READERS = { config: ALL, catalog: ['read'], state: ['read'], kept: ALL };

const PLACES = Object.entries(READERS).flatMap(([place, commands]) =>
  ODDITIES.map(([what, put]) => ({ what, place, put, commands })),
);

test.each(PLACES)('commands end properly with $what as $place', async ({ what, place, put, commands }) => {
  const { config } = await useRowApi(10, 10, {});
  const { auth_url: authUrl, client_id: clientId } = { client_id: '', auth_url: '', ...config };
  for (const command of commands) {
    const folder = temporaryDirectory();
    const good = join(folder, 'good');
    writeFileSync(good, JSON.stringify(config));
    const tokens = join(
      folder,
      `tokens-${fileKey({ authUrl, clientId, clientSecret: 'canary-secret' })}.json`,
    );
    const path = place === 'kept' ? tokens : join(folder, place);
    put(path);
    // a damaged lock is waited for, as intended
    if (place === 'kept' && !lstatSync(path).isFile()) put(`${path}.lock`);
    const files = { config: good, ...(place === 'kept' ? {} : { [place]: path }) };
    const options = Object.entries(files).flatMap(([name, given]) => [`--${name}`, given]);
    const args = [command, ...options, '--token-cache', folder];
    const { process, stdout, exit } = startConnector(args, {
      folder,
      env: fastWaits(1000),
      timeoutMs: 90_000,
    });
    const output: Buffer[] = [];
    stdout.on('data', (chunk: Buffer) => output.push(chunk));
    const isWaiting = what.includes('FIFO') && place !== 'kept';
    const writer = isWaiting ? await silentWriter(path) : null;
    if (isWaiting) process.kill('SIGTERM');
    const { code, signal, stderr } = await exit;
    if (writer !== null) closeSync(writer);
    const text = Buffer.concat(output).toString();
    const end = isWaiting ? 'SIGTERM' : 'number';
    expect([command, stderr, signal ?? typeof code]).toStrictEqual([command, '', end]);
    expect(text).not.toMatch(/system_error|unexpected failure/);
    expect(text.length).toBeLessThan(20_000);
    outputOf(Buffer.from(text), true);
  }
});
