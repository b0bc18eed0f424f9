import type { DetailedPeerCertificate } from 'node:tls';
import { isConnectorError, messageOf } from '../errors.ts';
import { CONNECTION } from '../limits.ts';
import { certificateAdvice, describeCertificate } from './certificate.ts';
import { handshakeAdvice } from './handshake.ts';
import { printable } from './response.ts';

/**
 * What is known about a request without a usable response:
 *
 * - `unconnected`: no connection was established, so nothing was sent; may pass
 * - `tls`: only one side speaks TLS, or the certificate is not accepted; nothing can have been processed; permanent
 * - `malformed`: the response is not valid HTTP; permanent
 * - `unasked`: the response has a form that the request does not allow; may pass, but is no outage if it stays the same
 * - `broken`: the exchange ended before its end, or the body is damaged; may pass
 */
export type ExchangeFault = 'unconnected' | 'tls' | 'malformed' | 'unasked' | 'broken';

/** There is no complete, decodable response. The message says what happened. */
export class HttpExchangeError extends Error {
  override readonly name = 'HttpExchangeError';
  readonly fault: ExchangeFault;
  /** What to do about it, in sentences; empty if there is nothing to change. `KEY` stands for the config key of the address. */
  readonly advice: string;

  constructor(message: string, fault: ExchangeFault, advice: string) {
    super(message);
    this.fault = fault;
    this.advice = advice;
  }
}

/** The advice of an error, for the config key that holds the address. */
export function adviceFor({ advice }: HttpExchangeError, key: string): string {
  return advice.replaceAll('KEY', key);
}

/** False if a request failed with an error after which the server cannot have processed it. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof HttpExchangeError) return error.fault !== 'unconnected' && error.fault !== 'tls';
  // an invalid proxy, or one that requires other credentials, forwards nothing
  return !isConnectorError(error, 'PROXY');
}

/** False if another attempt would fail in the same way. */
export function mayPass({ fault }: HttpExchangeError): boolean {
  return fault !== 'tls' && fault !== 'malformed';
}

/** The server or proxy that a request was sent to, as far as it got. */
export interface Hop {
  readonly url: URL;
  readonly isConnected: boolean; // including the TLS handshake
  readonly certificate: DetailedPeerCertificate | null; // that the server presented, with those above it
  readonly proxyHint: string; // about the use of a proxy; begins with a space, or is empty
}

/** Servers that expect TLS often hang up when they receive plain http. */
const HANG_UPS = new Set(['ECONNRESET', 'EPIPE']);
const TLS_HINT = 'Check KEY and the network. If the server expects TLS, let KEY begin with https://.';

/** True if what arrived is no HTTP; not if its end is missing. */
export function isParseError(cause: unknown): boolean {
  const code = codeOf(cause);
  return code.startsWith('HPE_') && !CUT_SHORT.has(code);
}

/** The error for a request that failed before the headers of a response arrived. */
export function describeFailure(cause: unknown, hop: Hop): HttpExchangeError {
  const code = codeOf(cause);
  const message = networkMessage(cause);
  if (isParseError(cause)) return malformed(code, message, cause, hop);
  // TLS 1.3 refuses a client only after the handshake
  if (REFUSED_CLIENT.test(code)) return handshakeError(cause, hop);
  if (hop.isConnected) {
    const isHungUp = hop.url.protocol === 'http:' && HANG_UPS.has(code);
    return new HttpExchangeError(message, 'broken', isHungUp ? TLS_HINT : '');
  }
  if (CERTIFICATE.test(code)) return certificateError(code, message, hop);
  // with TLS, data other than TLS breaks the handshake
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return handshakeError(cause, hop);
  // an error of its own says why
  const lead = cause instanceof Error ? '' : 'No connection was established. ';
  return new HttpExchangeError(message, 'unconnected', `${lead}Check KEY and the network.${hop.proxyHint}`);
}

/** The error for a server that expects TLS on a port to which http was sent; `sign` is how it shows. */
export function expectsTls({ host }: URL, sign: string): HttpExchangeError {
  const message = `${host} expects TLS, and the request was sent without it (${sign})`;
  return new HttpExchangeError(message, 'tls', 'Let KEY begin with https://, or name the port for http.');
}

/** The message of a network error, including its code. */
export function networkMessage(error: unknown): string {
  if (error instanceof HttpExchangeError || !(error instanceof Error)) return messageOf(error);
  // the AggregateError for several addresses has an empty message
  const attempts = error instanceof AggregateError ? error.errors.map(messageOf) : [];
  const code = codeOf(error);
  const message = error.message === '' ? attempts.join('; ') : error.message;
  return printable([code, message].filter((part) => part !== '').join(': '));
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Verification errors of OpenSSL and of Node.js. */
const CERTIFICATE =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|UNSPECIFIED)/;
/** Alerts of servers that require a certificate of the client. */
const REFUSED_CLIENT = /^ERR_SSL_\w+_ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/;
/** The parser was still waiting for more. */
const CUT_SHORT = new Set(['HPE_INVALID_EOF_STATE', 'HPE_CLOSED_CONNECTION']);

function certificateError(code: string, message: string, { url, certificate }: Hop): HttpExchangeError {
  const presented = certificate === null ? '' : `; ${url.host} presented ${describeCertificate(certificate)}`;
  return new HttpExchangeError(
    `${message}${presented}`,
    'tls',
    certificateAdvice(code, certificate, process.env),
  );
}

function handshakeError(cause: unknown, { url }: Hop): HttpExchangeError {
  const [, reason = ''] = /SSL routines:[^:]*:([^:]+)/.exec(messageOf(cause)) ?? [];
  const { protocol, host } = url;
  if (!/wrong version number|packet length too long|http request/i.test(`${reason}${messageOf(cause)}`))
    return new HttpExchangeError(
      `the TLS handshake with ${host} failed (${reason || networkMessage(cause)})`,
      'tls',
      handshakeAdvice(reason || messageOf(cause)),
    );
  const advice = 'Let KEY begin with http:// if that is intended, or name the port for https.';
  return new HttpExchangeError(
    `${host} does not speak TLS, although the address begins with ${protocol}//`,
    'tls',
    advice,
  );
}

/** The first byte of a TLS record that holds an alert or a handshake message. */
const TLS_RECORDS: readonly unknown[] = [0x15, 0x16];
const QUOTED_CHARS = 60;

function malformed(code: string, message: string, cause: unknown, { url }: Hop): HttpExchangeError {
  const { rawPacket } = cause as { rawPacket?: Buffer };
  if (code === 'HPE_HEADER_OVERFLOW') {
    const size = `${CONNECTION.maxHeaderBytes / 1024} KiB`;
    return malformedAs(
      `its headers are larger than ${size}`,
      message,
      "Ask the API's provider to send fewer headers.",
    );
  }
  if (code !== 'HPE_INVALID_CONSTANT' || rawPacket === undefined)
    return malformedAs(message.replace(/^\w+: Parse Error: /, ''), code, ASK);
  if (TLS_RECORDS.includes(rawPacket[0])) return expectsTls(url, 'it responded with a TLS alert');
  if (isHttp2(rawPacket))
    return malformedAs(
      'it is HTTP/2, and nothing else was offered',
      code,
      'Name the port for HTTP/1.1 in KEY.',
    );
  const start = printable(rawPacket.toString('utf8', 0, QUOTED_CHARS));
  const advice = 'Check that KEY, with its port, is the address of an HTTP server.';
  return malformedAs(`it begins with "${start}"`, code, advice);
}

/** A first frame of HTTP/2: the settings of the connection, or its end. */
function isHttp2(packet: Buffer): boolean {
  return (
    packet.length > 9 &&
    packet[0] === 0 &&
    (packet[3] === 4 || packet[3] === 7) &&
    packet.readUInt32BE(5) === 0
  );
}

/** The error for a response in a form that the request does not allow, such as another protocol or encoding. */
export function notAskedFor(message: string): HttpExchangeError {
  return new HttpExchangeError(message, 'unasked', ASK);
}

const ASK = 'The operator of the server, or of a proxy on the way, must correct it.';

function malformedAs(what: string, code: string, advice: string): HttpExchangeError {
  return new HttpExchangeError(`the response is not valid HTTP: ${what} (${code})`, 'malformed', advice);
}
