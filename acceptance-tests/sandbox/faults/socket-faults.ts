import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../api/answer.ts';

/** Writes something else to the socket instead of the response. */
export type SocketFault = (response: ServerResponse, answer: Answer) => void;

const trickleMs = 100; // milliseconds between two bytes of a trickling body
const hugeBytes = 100 * 1024 * 1024;
let bomb: Buffer | undefined;

/** Resets the connection (RST). */
export const reset = ({ socket }: ServerResponse): void => void socket?.resetAndDestroy();

/** Switches to a protocol that was not requested, and sends nothing. */
export const protocolChanged: SocketFault = ({ socket }) =>
  socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');

/** Sends half of the body. */
export function half(then: (response: ServerResponse) => void): SocketFault {
  return (response, answer) => {
    const body = Buffer.from(answer.body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => then(response));
  };
}

/** Sends the body byte by byte, so that no pause is long but the whole body takes very long. */
export const trickle: SocketFault = (response, { status, headers, body: text }) => {
  const body = Buffer.from(text);
  response.writeHead(status, { ...headers, 'content-length': body.length });
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    response.write(body.subarray(sent - 1, sent));
    if (sent === body.length) response.end();
  }, trickleMs);
  response.once('close', () => clearInterval(timer));
};

/** Closes the connection (FIN) before all announced bytes are sent. */
export const wrongContentLength: SocketFault = (response, { status, headers, body }) => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) + 100 });
  response.write(body, () => response.socket?.end());
};

/** Sends half of the body as gzip, which was not requested. */
export const truncatedGzip: SocketFault = (response, answer) => {
  const whole = gzipSync(answer.body);
  sendGzip(response, answer, whole.subarray(0, Math.floor(whole.length / 2)));
};

/** A huge body, compressed to a thousandth of its size. */
export const gzipBomb: SocketFault = (response, answer) => {
  bomb ??= gzipSync(Buffer.alloc(hugeBytes, ' '));
  sendGzip(response, answer, bomb);
};

function sendGzip(response: ServerResponse, { status, headers }: Answer, bytes: Buffer): void {
  const length = { 'content-length': bytes.length, 'content-encoding': 'gzip' };
  response.writeHead(status, { ...headers, ...length }).end(bytes);
}

/** Replaces one byte of the first text in the body by one that is never valid in UTF-8. */
export const invalidUtf8: SocketFault = (response, { status, headers, body: text }) => {
  const body = Buffer.from(text);
  body[body.indexOf('":"') + 3] = 0xff;
  response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
};

/** Sends 100 MB of whitespace before the body. */
export const hugeBody: SocketFault = (response, { status, headers, body }) => {
  const space = Buffer.alloc(1024 * 1024, ' ');
  response.writeHead(status, { ...headers, 'content-length': hugeBytes + Buffer.byteLength(body) });
  const send = (left: number): void => {
    if (left === 0) response.end(body);
    else if (!response.destroyed) response.write(space, () => send(left - space.length));
  };
  send(hugeBytes);
};
