import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import type { Act, Scene } from './act.ts';

/** Milliseconds between two bytes of a body that trickles. */
const trickleMs = 100;
const hugeBytes = 100 * 1024 * 1024;
/** Made for the first who asks. */
let bomb: Buffer | null = null;

/** What is done with the response itself, and always can be. */
function socket(act: (response: ServerResponse, answer: Scene['answer']) => void): Act {
  return ({ call, answer }) => {
    act(call.response, answer);
    return true;
  };
}

/** Sends another body under the right status, whole as far as HTTP knows. */
function encoded(bytes: (answer: Scene['answer']) => Buffer, headers: Record<string, string>): Act {
  return socket((response, answer) => {
    const body = bytes(answer);
    response.writeHead(answer.status, { ...answer.headers, ...headers, 'content-length': body.length });
    response.end(body);
  });
}

/** Cuts the connection (RST) before the first byte of an answer. */
export const resetBeforeAnswer = socket(cut);

/** Closes the connection (FIN) before the first byte of an answer. */
export const closedUnanswered = socket((response) => response.socket?.end());

/** Answers by another protocol, which nobody asked for, and says nothing in it. */
export const protocolChanged = socket((response) =>
  response.socket?.write(
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ),
);

/** "No content", in whose place a list has a page. */
export const noContent = socket((response) => response.writeHead(204).end());

/** Sends half of the body, then cuts the connection (RST). */
export const resetInBody = socket((response, { body }) => sendHalf(response, body, () => cut(response)));

/** Takes the request, and never answers. */
export const stalledHeaders: Act = () => true;

/** Sends half of the body, and never the rest. */
export const stalledBody = socket((response, { body }) => sendHalf(response, body, () => undefined));

/** Sends the body byte by byte, so slowly that every pause is harmless and the whole takes for ever. */
export const tricklingBody = socket((response, { status, headers, body: text }) => {
  const body = Buffer.from(text);
  response.writeHead(status, { ...headers, 'content-length': body.length });
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    response.write(body.subarray(sent - 1, sent));
    if (sent === body.length) response.end();
  }, trickleMs);
  response.once('close', () => clearInterval(timer));
});

/** Announces more bytes than come before the connection ends (FIN). */
export const wrongContentLength = socket((response, { status, headers, body }) => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) + 100 });
  response.write(body, () => response.socket?.end());
});

/** Half of the body as gzip, which nobody asked for. */
export const gzipCutShort = encoded(
  ({ body }) => {
    const whole = gzipSync(body);
    return whole.subarray(0, Math.floor(whole.length / 2));
  },
  { 'content-encoding': 'gzip' },
);

/** As much as `hugeBody` sends, in a thousandth of it. */
export const gzipBomb = encoded(
  () => {
    bomb ??= gzipSync(Buffer.alloc(hugeBytes, ' '));
    return bomb;
  },
  { 'content-encoding': 'gzip' },
);

/** The right body, but for one byte in the first text in it that cannot stand in UTF-8. */
export const invalidUtf8: Act = (scene) => {
  const body = Buffer.from(scene.answer.body);
  const text = body.indexOf('":"') + 3;
  if (text < 3) return false;
  body[text] = 0xff;
  return encoded(() => body, {})(scene);
};

/** The right body, if the 100 MB of white space in front of it were left out. */
export const hugeBody = socket((response, { status, headers, body }) => {
  const space = Buffer.alloc(1024 * 1024, ' ');
  response.writeHead(status, { ...headers, 'content-length': hugeBytes + Buffer.byteLength(body) });
  const send = (left: number): void => {
    if (response.destroyed) return;
    if (left === 0) response.end(body);
    else response.write(space, () => send(left - space.length));
  };
  send(hugeBytes);
});

function sendHalf(response: ServerResponse, text: string, sent: () => void): void {
  const body = Buffer.from(text);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), sent);
}

function cut(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
