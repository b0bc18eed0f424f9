import { each, endpointNames, listNames, pagedBy, type EndpointName } from '../lists.ts';
import { deep, errorResponse, html, page, pagination, redirect, type Apply } from './answer-faults.ts';
import * as socket from './socket-faults.ts';

type Fault = readonly [title: string, apply: Apply];

const status = (code: number): Fault => [String(code), errorResponse(code, {})];

/** Writes something else to the socket. */
function sends(fault: socket.SocketFault): Apply {
  return ({ call, answer }) => {
    fault(call.response, answer);
    return undefined;
  };
}

function at<K extends string>(endpoints: readonly EndpointName[], faults: Record<K, Fault>) {
  return each(Object.keys(faults) as K[], (name) => {
    const [title, apply] = faults[name];
    return { title, apply, endpoints };
  });
}

/** Every fault with the endpoints that it applies to. */
export const faultKinds = {
  ...at(endpointNames, {
    status400: status(400),
    status401: ['401', errorResponse(401, { 'www-authenticate': 'Bearer' })],
    status403: status(403),
    gateway403: ['gateway 403', html('Blocked', { status: 403, held: [] }, { 'cf-ray': '8f00d00d-FRA' })],
    status404: status(404),
    status408: status(408),
    status410: status(410),
    status429Bare: ['429 bare', errorResponse(429, {})],
    status429Seconds: ['429, Retry-After in seconds', errorResponse(429, { 'retry-after': '1' })],
    // one second after its Date header, which has whole seconds
    status429Date: [
      '429, Retry-After as a date',
      (context) => errorResponse(429, { 'retry-after': new Date(Date.now() + 1000).toUTCString() })(context),
    ],
    status500: status(500),
    status502: status(502),
    status503: status(503),
    status504: status(504),
    redirect302: ['302 to another host', redirect(302)],
    redirect307: ['307 to another host', redirect(307)],
    noContent204: ['204', sends((response) => response.writeHead(204).end())],
    protocolChanged101: ['101', sends(socket.protocolChanged)],
    connectionRefused: ['connection refused', sends(socket.reset)],
    resetBeforeAnswer: ['reset before the response', sends(socket.reset)],
    closedUnanswered: ['closed without a response', sends((response) => response.socket?.end())],
    resetInBody: ['reset in the body', sends(socket.half(socket.reset))],
    stalledHeaders: ['stalled headers', sends(() => undefined)],
    stalledBody: ['stalled body', sends(socket.half(() => undefined))],
    tricklingBody: ['trickling body', sends(socket.trickle)],
    truncatedJson: ['truncated JSON', ({ answer: { body } }) => ({ body: body.slice(0, body.length / 2) })],
    wrongContentLength: ['wrong content-length', sends(socket.wrongContentLength)],
    gzipCutShort: ['truncated gzip', sends(socket.truncatedGzip)],
    gzipBomb: ['gzip bomb', sends(socket.gzipBomb)],
    invalidUtf8: ['invalid UTF-8', sends(socket.invalidUtf8)],
    html: ['HTML with 200', html('Sign in', {}, {})],
    emptyBody: ['empty 200', () => ({ body: '' })],
    emptyObject: ['{}', () => ({ body: '{}' })],
    emptyArray: ['[]', () => ({ body: '[]' })],
    hugeBody: ['body of 100 MB', sends(socket.hugeBody)],
    deepNesting: ['10,000 nested arrays', () => ({ body: deep })],
    // large, but valid
    deepNestingBeside: [
      '10,000 nested arrays in another member',
      ({ answer: { body } }) => ({ body: body.replace(/\}\s*$/, `,"deep":${deep}}`) }),
    ],
  }),
  ...at(listNames, {
    itemsAbsent: ['items absent', page(() => ({ items: undefined }))],
    itemsNoArray: [
      'items not an array',
      page(({ items }) => ({ items: Object.fromEntries(items.entries()) })),
    ],
    itemNoObject: ['item that is not an object', page(({ items }) => ({ items: [...items, 7] }))],
    itemEmpty: ['empty item', page(({ items }) => ({ items: [{}, ...items] }))],
    paginationAbsent: ['pagination absent', page(() => ({ metadata: {} }))],
  }),
  ...at(pagedBy('offset'), {
    offsetNotEchoed: ['wrong offset', pagination(({ query }) => ({ offset: Number(query['offset']) + 1 }))],
  }),
  ...at(pagedBy('cursor'), {
    cursorNoText: ['cursor that is not a string', pagination(() => ({ nextCursor: true }))],
    cursorRepeated: ['cursors A, A', pagination(({ query }) => ({ nextCursor: query['after'] }))],
    cursorAlternating: ['cursors A, B, A, B', pagination((_, previous) => ({ nextCursor: previous }))],
  }),
};

export type FaultName = keyof typeof faultKinds;
export const faultNames = Object.keys(faultKinds) as FaultName[];
