import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../api/answer.ts';

/** What is done with the response itself, in the place of the answer. */
export type Misdeed = (response: ServerResponse, answer: Answer) => void;

/** Milliseconds between two bytes of a body that trickles. */
const trickleMs = 100;
const hugeBytes = 100 * 1024 * 1024;
/** Made for the first who asks. */
let bomb: Buffer | undefined;

/** Cuts the connection (RST). */
export const cut = ({ socket }: ServerResponse): void => void socket?.resetAndDestroy();

/** Answers by another protocol, which nobody asked for, and says nothing in it. */
export const protocolChanged: Misdeed = ({ socket }) =>
  socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');

/** Sends half of the body, and goes on with something else. */
export function half(then: (response: ServerResponse) => void): Misdeed {
  return (response, answer) => {
    const body = Buffer.from(answer.body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => then(response));
  };
}

/** Sends the body byte by byte, so slowly that every pause is harmless and the whole takes for ever. */
export const trickle: Misdeed = (response, { status, headers, body: text }) => {
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

/** Announces more bytes than come before the connection ends (FIN). */
export const wrongContentLength: Misdeed = (response, { status, headers, body }) => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) + 100 });
  response.write(body, () => response.socket?.end());
};

/** Half of the body as gzip, which nobody asked for. */
export const gzipCutShort: Misdeed = (response, answer) => {
  const whole = gzipSync(answer.body);
  sendBytes(response, answer, whole.subarray(0, Math.floor(whole.length / 2)), {
    'content-encoding': 'gzip',
  });
};

/** As much as a huge body, in a thousandth of it. */
export const gzipBomb: Misdeed = (response, answer) => {
  bomb ??= gzipSync(Buffer.alloc(hugeBytes, ' '));
  sendBytes(response, answer, bomb, { 'content-encoding': 'gzip' });
};

/** The right body, but for one byte in the first text in it that cannot stand in UTF-8. */
export const invalidUtf8: Misdeed = (response, answer) => {
  const body = Buffer.from(answer.body);
  body[body.indexOf('":"') + 3] = 0xff;
  sendBytes(response, answer, body, {});
};

/** The right body, if the 100 MB of white space in front of it were left out. */
export const hugeBody: Misdeed = (response, { status, headers, body }) => {
  const space = Buffer.alloc(1024 * 1024, ' ');
  response.writeHead(status, { ...headers, 'content-length': hugeBytes + Buffer.byteLength(body) });
  const send = (left: number): void => {
    if (left === 0) response.end(body);
    else if (!response.destroyed) response.write(space, () => send(left - space.length));
  };
  send(hugeBytes);
};

/** Sends other bytes under the right status, whole as far as HTTP knows. */
function sendBytes(response: ServerResponse, { status, headers }: Answer, bytes: Buffer, more: object): void {
  response.writeHead(status, { ...headers, ...more, 'content-length': bytes.length }).end(bytes);
}
