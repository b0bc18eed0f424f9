import { each, endpointNames, listNames, pagedBy } from '../lists.ts';
import type { EndpointName } from '../lists.ts';
import { deep, html, members, page, redirect, refusal } from './answer-faults.ts';
import type { Act } from './answer-faults.ts';
import * as socket from './socket-faults.ts';

/** One way to misbehave: in words for people, and what it does. */
type Fault = readonly [words: string, act: Act];

const status = (code: number): Fault => [String(code), refusal(code, {})];

/** Bytes that no answer has, in the place of the answer. */
function sends(misdeed: socket.Misdeed): Act {
  return ({ call, answer }) => {
    misdeed(call.response, answer);
    return undefined;
  };
}

const anywhere = {
  status400: status(400),
  status401: ['401', refusal(401, { 'www-authenticate': 'Bearer' })],
  status403: status(403),
  gateway403: [
    '403 of a gateway, as HTML',
    html('Blocked', { status: 403, rows: 0 }, { 'cf-ray': '8f00d00d-FRA' }),
  ],
  status404: status(404),
  status408: status(408),
  status410: status(410),
  status429Bare: ['429 bare', refusal(429, {})],
  status429Seconds: ['429, Retry-After in seconds', refusal(429, { 'retry-after': '1' })],
  // a second after its own Date header; a date of HTTP has whole seconds
  status429Date: [
    '429, Retry-After as a date',
    (scene) => refusal(429, { 'retry-after': new Date(Date.now() + 1000).toUTCString() })(scene),
  ],
  status500: status(500),
  status502: status(502),
  status503: status(503),
  status504: status(504),
  redirect302: ['302 to another host', redirect(302)],
  redirect307: ['307 to another host', redirect(307)],
  noContent204: ['204', sends((response) => response.writeHead(204).end())],
  protocolChanged101: ['101', sends(socket.protocolChanged)],
  connectionRefused: ['connection refused', sends(socket.cut)],
  resetBeforeAnswer: ['reset before the answer', sends(socket.cut)],
  closedUnanswered: ['closed without an answer', sends((response) => response.socket?.end())],
  resetInBody: ['reset inside the body', sends(socket.half(socket.cut))],
  stalledHeaders: ['stalled headers', sends(() => undefined)],
  stalledBody: ['stalled body', sends(socket.half(() => undefined))],
  tricklingBody: ['trickling body', sends(socket.trickle)],
  truncatedJson: ['truncated JSON', ({ answer: { body } }) => ({ body: body.slice(0, body.length / 2) })],
  wrongContentLength: ['wrong content-length', sends(socket.wrongContentLength)],
  gzipCutShort: ['gzip cut short', sends(socket.gzipCutShort)],
  gzipBomb: ['a gzip bomb', sends(socket.gzipBomb)],
  invalidUtf8: ['invalid UTF-8', sends(socket.invalidUtf8)],
  html: ['HTML with 200', html('Sign in', {}, {})],
  emptyBody: ['empty 200', () => ({ body: '' })],
  emptyObject: ['{}', () => ({ body: '{}' })],
  emptyArray: ['[]', () => ({ body: '[]' })],
  hugeBody: ['a body of 100 MB', sends(socket.hugeBody)],
  deepNesting: ['nesting 10,000 deep', () => ({ body: deep })],
  // large, but nothing is wrong with it
  deepNestingBeside: [
    'nesting 10,000 deep beside the right members',
    ({ answer: { body } }) => ({ body: body.replace(/\}\s*$/, `,"deep":${deep}}`) }),
  ],
} satisfies Record<string, Fault>;

const inPages = {
  itemsNull: ['items null', page(() => ({ items: null }))],
  itemsNoArray: ['items not an array', page(({ items }) => ({ items: Object.fromEntries(items.entries()) }))],
  itemNoObject: ['an item that is no object', page(({ items }) => ({ items: [...items, 7] }))],
  itemEmpty: ['an item that is empty', page(({ items }) => ({ items: [{}, ...items] }))],
  paginationAbsent: ['pagination absent', page(() => ({ metadata: {} }))],
} satisfies Record<string, Fault>;

const inOffsetPages = {
  offsetNotEchoed: ['offset not echoed', members(({ query }) => ({ offset: Number(query['offset']) + 1 }))],
} satisfies Record<string, Fault>;

const inCursorPages = {
  cursorNoText: ['a cursor that is no text', members(() => ({ nextCursor: 7 }))],
  cursorRepeated: ['cursors A, A', members(({ query }) => ({ nextCursor: query['after'] }))],
  cursorAlternating: ['cursors A, B, A, B', members((_, cursorBefore) => ({ nextCursor: cursorBefore }))],
} satisfies Record<string, Fault>;

function at<K extends string>(endpoints: readonly EndpointName[], faults: Record<K, Fault>) {
  return each(Object.keys(faults) as K[], (name) => {
    const [words, act] = faults[name];
    return { words, act, endpoints };
  });
}

/** Every fault, from a wrong status to a cursor that goes round in circles, with the endpoints where it can happen. */
export const catalogue = {
  ...at(endpointNames, anywhere),
  ...at(listNames, inPages),
  ...at(pagedBy('offset'), inOffsetPages),
  ...at(pagedBy('cursor'), inCursorPages),
};

export type FaultName = keyof typeof catalogue;
export const faultNames = Object.keys(catalogue) as FaultName[];
