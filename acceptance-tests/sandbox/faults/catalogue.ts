import type { Answer } from '../api/answer.ts';
import { endpointNames, listNames, pagedBy, type EndpointName } from '../lists.ts';
import type { Act, Scene } from './act.ts';
import { changePagination, deep, html, pageOf, redirect, refused, type ReadPage } from './answer-faults.ts';
import * as socket from './socket-faults.ts';

/** One way to misbehave. */
interface Fault {
  /** For people. */
  readonly words: string;
  /** Where it can happen. */
  readonly endpoints: readonly EndpointName[];
  readonly act: Act;
}

/** Another answer in the place of the right one. */
function answers(words: string, change: (scene: Scene) => Partial<Answer>): Fault {
  const act: Act = (scene) => {
    scene.deliver({ ...scene.answer, ...change(scene) });
    return true;
  };
  return { words, endpoints: endpointNames, act };
}

function status(code: number, words = String(code), headers: Record<string, string> = {}): Fault {
  return answers(words, ({ call }) => refused(call, code, headers));
}

/** Bytes that no answer has. */
function sends(words: string, misdeed: socket.Misdeed): Fault {
  const act: Act = ({ call, answer }) => {
    misdeed(call.response, answer);
    return true;
  };
  return { words, endpoints: endpointNames, act };
}

/** A page whose parts are changed. */
function page(words: string, change: (parts: ReadPage) => object): Fault {
  const changed = answers(words, ({ answer }) => ({ body: JSON.stringify(change(pageOf(answer))) }));
  return { ...changed, endpoints: listNames };
}

/** A pagination object with some members changed. */
function pagination(paging: 'offset' | 'cursor', words: string, change: (scene: Scene) => object): Fault {
  return { words, endpoints: pagedBy(paging), act: (scene) => changePagination(scene, change(scene)) };
}

/** Every fault, from a wrong status to a cursor that goes round in circles. */
export const catalogue = {
  status400: status(400),
  status401: status(401, '401', { 'www-authenticate': 'Bearer' }),
  status403: status(403),
  gateway403: answers('403 of a gateway, as HTML', ({ call }) => ({
    ...html(call, 'Blocked', { 'cf-ray': '8f00d00d-FRA' }),
    status: 403,
    rows: 0,
  })),
  status404: status(404),
  status408: status(408),
  status410: status(410),
  status429Bare: status(429, '429 bare'),
  status429Seconds: status(429, '429, Retry-After in seconds', { 'retry-after': '1' }),
  // a second after its own Date header; a date of HTTP has whole seconds
  status429Date: answers('429, Retry-After as a date', ({ call }) =>
    refused(call, 429, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
  ),
  status500: status(500),
  status502: status(502),
  status503: status(503),
  status504: status(504),
  redirect302: answers('302 to another host', ({ call }) => redirect(call, 302)),
  redirect307: answers('307 to another host', ({ call }) => redirect(call, 307)),
  noContent204: sends('204', (response) => response.writeHead(204).end()),
  protocolChanged101: sends('101', socket.protocolChanged),
  connectionRefused: sends('connection refused', socket.cut),
  resetBeforeAnswer: sends('reset before the answer', socket.cut),
  closedUnanswered: sends('closed without an answer', (response) => response.socket?.end()),
  resetInBody: sends('reset inside the body', (response, { body }) =>
    socket.sendHalf(response, body, () => socket.cut(response)),
  ),
  stalledHeaders: sends('stalled headers', () => undefined),
  stalledBody: sends('stalled body', (response, { body }) =>
    socket.sendHalf(response, body, () => undefined),
  ),
  tricklingBody: sends('trickling body', socket.trickle),
  truncatedJson: answers('truncated JSON', ({ answer: { body } }) => ({
    body: body.slice(0, body.length / 2),
  })),
  wrongContentLength: sends('wrong content-length', socket.wrongContentLength),
  gzipCutShort: sends('gzip cut short', socket.gzipCutShort),
  gzipBomb: sends('a gzip bomb', socket.gzipBomb),
  invalidUtf8: sends('invalid UTF-8', socket.invalidUtf8),
  html: answers('HTML with 200', ({ call }) => html(call, 'Sign in', {})),
  emptyBody: answers('empty 200', () => ({ body: '' })),
  emptyObject: answers('{}', () => ({ body: '{}' })),
  emptyArray: answers('[]', () => ({ body: '[]' })),
  hugeBody: sends('a body of 100 MB', socket.hugeBody),
  deepNesting: answers('nesting 10,000 deep', () => ({ body: deep })),
  // large, but nothing is wrong with it
  deepNestingBeside: answers('nesting 10,000 deep beside the right members', ({ answer: { body } }) => ({
    body: body.replace(/\}\s*$/, `,"deep":${deep}}`),
  })),
  itemsNull: page('items null', (parts) => ({ ...parts, items: null })),
  itemsNoArray: page('items not an array', (parts) => ({
    ...parts,
    items: Object.fromEntries(parts.items.entries()),
  })),
  itemNoObject: page('an item that is no object', (parts) => ({ ...parts, items: [...parts.items, 7] })),
  itemEmpty: page('an item that is empty', (parts) => ({ ...parts, items: [{}, ...parts.items] })),
  paginationAbsent: page('pagination absent', (parts) => ({ ...parts, metadata: {} })),
  offsetNotEchoed: pagination('offset', 'offset not echoed', ({ call }) => ({
    offset: Number(call.query['offset']) + 1,
  })),
  cursorNoText: pagination('cursor', 'a cursor that is no text', () => ({ nextCursor: 7 })),
  cursorRepeated: pagination('cursor', 'cursors A, A', ({ call }) => ({ nextCursor: call.query['after'] })),
  cursorAlternating: pagination('cursor', 'cursors A, B, A, B', ({ cursorBefore }) => ({
    nextCursor: cursorBefore,
  })),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof catalogue;
export const faultNames = Object.keys(catalogue) as FaultName[];
