import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import type { Act } from './fault-act.ts';

/** Milliseconds between two bytes of a body that trickles. */
const trickleMs = 100;
const hugeBytes = 100 * 1024 * 1024;
/** Made for the first who asks. */
let bomb: Buffer | null = null;

/** Cuts the connection (RST) before the first byte of an answer. */
export const resetBeforeAnswer: Act = ({ call }) => {
  cut(call.response);
  return true;
};

/** Closes the connection (FIN) before the first byte of an answer. */
export const closedUnanswered: Act = ({ call }) => {
  call.response.socket?.end();
  return true;
};

/** Answers by another protocol, which nobody asked for, and says nothing in it. */
export const protocolChanged: Act = ({ call }) => {
  call.response.socket?.write(
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  );
  return true;
};

/** Sends half of the body, then cuts the connection (RST). */
export const resetInBody: Act = ({ call, answer }) => {
  const { response } = call;
  sendHalf(response, answer.body, () => cut(response));
  return true;
};

/** Takes the request, and never answers. */
export const stalledHeaders: Act = () => true;

/** Sends half of the body, and never the rest. */
export const stalledBody: Act = ({ call, answer }) => {
  sendHalf(call.response, answer.body, () => undefined);
  return true;
};

/** Sends the body byte by byte, so slowly that every pause is harmless and the whole takes for ever. */
export const tricklingBody: Act = ({ call, answer }) => {
  const { response } = call;
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    response.write(body.subarray(sent - 1, sent));
    if (sent === body.length) response.end();
  }, trickleMs);
  response.once('close', () => clearInterval(timer));
  return true;
};

/** Announces more bytes than come before the connection ends (FIN). */
export const wrongContentLength: Act = ({ call, answer }) => {
  const { response } = call;
  const length = Buffer.byteLength(answer.body) + 100;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': length });
  response.write(answer.body, () => response.socket?.end());
  return true;
};

/** Half of the body as gzip, which nobody asked for. */
export const gzipCutShort: Act = ({ call, answer }) => {
  const whole = gzipSync(answer.body);
  const half = whole.subarray(0, Math.floor(whole.length / 2));
  call.response.writeHead(answer.status, {
    ...answer.headers,
    'content-encoding': 'gzip',
    'content-length': half.length,
  });
  call.response.end(half);
  return true;
};

/** As much as `hugeBody` sends, in a thousandth of it. */
export const gzipBomb: Act = ({ call, answer }) => {
  bomb ??= gzipSync(Buffer.alloc(hugeBytes, ' '));
  call.response.writeHead(answer.status, {
    ...answer.headers,
    'content-encoding': 'gzip',
    'content-length': bomb.length,
  });
  call.response.end(bomb);
  return true;
};

/** The right body, but for one byte in the first text in it that cannot stand in UTF-8. */
export const invalidUtf8: Act = ({ call, answer }) => {
  const body = Buffer.from(answer.body);
  const text = body.indexOf('":"') + 3;
  if (text < 3) return false;
  body[text] = 0xff;
  call.response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length }).end(body);
  return true;
};

/** The right body, if the 100 MB of white space in front of it were left out. */
export const hugeBody: Act = ({ call, answer }) => {
  const { response } = call;
  const space = Buffer.alloc(1024 * 1024, ' ');
  const length = hugeBytes + Buffer.byteLength(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': length });
  const send = (left: number): void => {
    if (response.destroyed) return;
    if (left === 0) response.end(answer.body);
    else response.write(space, () => send(left - space.length));
  };
  send(hugeBytes);
  return true;
};

function sendHalf(response: ServerResponse, text: string, sent: () => void): void {
  const body = Buffer.from(text);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), sent);
}

function cut(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
