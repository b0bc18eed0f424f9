import { expect, test } from 'vitest';
import { describeFailure, type Hop } from './exchange-error.ts';

const HOP: Hop = {
  url: new URL('https://api.example/v1/assets'),
  isConnected: true,
  certificate: null,
  proxyHint: '',
};

const failure = (code: string, message: string, rest: object = {}): Error =>
  Object.assign(new Error(message), { code, ...rest });

test.each([
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'tls'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'tls'],
  // a broken record may be an accident
  ['ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC', 'broken'],
  ['ECONNRESET', 'broken'],
])('%s after the handshake: %s', (code, fault) => {
  const reason = code.replace('ERR_SSL_', '').replaceAll('_', ' ').toLowerCase();
  const cause = failure(code, `error:0A00045C:SSL routines:ssl3_read_bytes:${reason}:file.c:1`);
  const error = describeFailure(cause, HOP);
  expect(error.fault).toBe(fault);
  if (fault === 'tls') expect(error.advice).toContain('The server requires a certificate of the client');
});

test.each<[packet: Buffer, words: RegExp]>([
  [Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 255, 255]), /it is HTTP\/2, and nothing else/],
  [Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), /it is HTTP\/2, and nothing else/],
  [Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'), /it begins with "SSH-2\.0/],
])('what is no HTTP/1.1 is named: %j', (rawPacket, words) => {
  const error = describeFailure(failure('HPE_INVALID_CONSTANT', 'Parse Error', { rawPacket }), HOP);
  expect([error.fault, error.message]).toStrictEqual(['malformed', expect.stringMatching(words)]);
});
