import { endpointNames, listNames, pagedBy, type EndpointName } from '../lists.ts';
import type { Act } from './act.ts';
import * as answer from './answer-faults.ts';
import { page, pagination, status } from './answer-faults.ts';
import * as socket from './socket-faults.ts';

/** One way to misbehave. */
interface Fault {
  /** For people. */
  readonly words: string;
  /** Where it can happen. */
  readonly endpoints: readonly EndpointName[];
  readonly act: Act;
}

const everywhere = (words: string, act: Act): Fault => ({ words, endpoints: endpointNames, act });
const inPages = (words: string, change: Parameters<typeof page>[0]): Fault => ({
  words,
  endpoints: listNames,
  act: page(change),
});
const inOffsets = (words: string, change: Parameters<typeof pagination>[0]): Fault => ({
  words,
  endpoints: pagedBy('offset'),
  act: pagination(change),
});
const inCursors = (words: string, change: Parameters<typeof pagination>[0]): Fault => ({
  words,
  endpoints: pagedBy('cursor'),
  act: pagination(change),
});

/** Every fault, from a wrong status to a cursor that goes round in circles. */
export const catalogue = {
  status400: everywhere('400', status(400, {})),
  status401: everywhere('401', status(401, { 'www-authenticate': 'Bearer' })),
  status403: everywhere('403', status(403, {})),
  gateway403: everywhere('403 of a gateway, as HTML', answer.gatewayRefusal),
  status404: everywhere('404', status(404, {})),
  status408: everywhere('408', status(408, {})),
  status410: everywhere('410', status(410, {})),
  status429Bare: everywhere('429 bare', status(429, {})),
  status429Seconds: everywhere('429, Retry-After in seconds', status(429, { 'retry-after': '1' })),
  status429Date: everywhere('429, Retry-After as a date', answer.rateLimitedUntilDate),
  status500: everywhere('500', status(500, {})),
  status502: everywhere('502', status(502, {})),
  status503: everywhere('503', status(503, {})),
  status504: everywhere('504', status(504, {})),
  redirect302: everywhere('302 to another host', answer.redirect(302)),
  redirect307: everywhere('307 to another host', answer.redirect(307)),
  noContent204: everywhere('204', socket.noContent),
  protocolChanged101: everywhere('101', socket.protocolChanged),
  connectionRefused: everywhere('connection refused', socket.resetBeforeAnswer),
  resetBeforeAnswer: everywhere('reset before the answer', socket.resetBeforeAnswer),
  closedUnanswered: everywhere('closed without an answer', socket.closedUnanswered),
  resetInBody: everywhere('reset inside the body', socket.resetInBody),
  stalledHeaders: everywhere('stalled headers', socket.stalledHeaders),
  stalledBody: everywhere('stalled body', socket.stalledBody),
  tricklingBody: everywhere('trickling body', socket.tricklingBody),
  truncatedJson: everywhere('truncated JSON', answer.truncatedJson),
  wrongContentLength: everywhere('wrong content-length', socket.wrongContentLength),
  gzipCutShort: everywhere('gzip cut short', socket.gzipCutShort),
  gzipBomb: everywhere('a gzip bomb', socket.gzipBomb),
  invalidUtf8: everywhere('invalid UTF-8', socket.invalidUtf8),
  html: everywhere('HTML with 200', answer.html),
  emptyBody: everywhere('empty 200', answer.fixedBody('')),
  emptyObject: everywhere('{}', answer.fixedBody('{}')),
  emptyArray: everywhere('[]', answer.fixedBody('[]')),
  hugeBody: everywhere('a body of 100 MB', socket.hugeBody),
  deepNesting: everywhere('nesting 10,000 deep', answer.deepNesting),
  deepNestingBeside: everywhere('nesting 10,000 deep beside the right members', answer.deepNestingBeside),
  itemsNull: inPages('items null', (parts) => ({ ...parts, items: null })),
  itemsNoArray: inPages('items not an array', (parts) => ({
    ...parts,
    items: Object.fromEntries(parts.items.entries()),
  })),
  itemNoObject: inPages('an item that is no object', (parts) => ({ ...parts, items: [...parts.items, 7] })),
  itemEmpty: inPages('an item that is empty', (parts) => ({ ...parts, items: [{}, ...parts.items] })),
  paginationAbsent: inPages('pagination absent', (parts) => ({ ...parts, metadata: {} })),
  offsetNotEchoed: inOffsets('offset not echoed', ({ call }) => ({
    offset: Number(call.query['offset']) + 1,
  })),
  cursorNoText: inCursors('a cursor that is no text', () => ({ nextCursor: 7 })),
  cursorRepeated: inCursors('cursors A, A', ({ call }) => ({ nextCursor: call.query['after'] })),
  cursorAlternating: inCursors('cursors A, B, A, B', ({ cursorBefore }) => ({ nextCursor: cursorBefore })),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof catalogue;
export const faultNames = Object.keys(catalogue) as FaultName[];
