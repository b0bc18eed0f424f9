import { endpointNames, listNames, pagedBy, type EndpointName } from '../lists.ts';
import type { Act } from './act.ts';
import {
  deepNesting,
  deepNestingBeside,
  fixedBody,
  gatewayRefusal,
  html,
  nextCursor,
  page,
  pagination,
  rateLimitedUntilDate,
  redirect,
  status,
  truncatedJson,
} from './answer-faults.ts';
import * as socket from './socket-faults.ts';

/** One way to misbehave. */
interface Fault {
  /** For people. */
  readonly words: string;
  /** Where it can happen. */
  readonly endpoints: readonly EndpointName[];
  readonly act: Act;
}

function at(endpoints: readonly EndpointName[], words: string, act: Act): Fault {
  return { words, endpoints, act };
}

function everywhere(words: string, act: Act): Fault {
  return at(endpointNames, words, act);
}

/** Every fault, from a wrong status to a cursor that goes round in circles. */
export const catalogue = {
  status400: everywhere('400', status(400, {})),
  status401: everywhere('401', status(401, { 'www-authenticate': 'Bearer' })),
  status403: everywhere('403', status(403, {})),
  gateway403: everywhere('403 of a gateway, as HTML', gatewayRefusal),
  status404: everywhere('404', status(404, {})),
  status408: everywhere('408', status(408, {})),
  status410: everywhere('410', status(410, {})),
  status429Bare: everywhere('429 bare', status(429, {})),
  status429Seconds: everywhere('429, Retry-After in seconds', status(429, { 'retry-after': '1' })),
  status429Date: everywhere('429, Retry-After as a date', rateLimitedUntilDate),
  status500: everywhere('500', status(500, {})),
  status502: everywhere('502', status(502, {})),
  status503: everywhere('503', status(503, {})),
  status504: everywhere('504', status(504, {})),
  redirect302: everywhere('302 to another host', redirect(302)),
  redirect307: everywhere('307 to another host', redirect(307)),
  noContent204: everywhere('204', socket.noContent),
  protocolChanged101: everywhere('101', socket.protocolChanged),
  connectionRefused: everywhere('connection refused', socket.resetBeforeAnswer),
  resetBeforeAnswer: everywhere('reset before the answer', socket.resetBeforeAnswer),
  closedUnanswered: everywhere('closed without an answer', socket.closedUnanswered),
  resetInBody: everywhere('reset inside the body', socket.resetInBody),
  stalledHeaders: everywhere('stalled headers', socket.stalledHeaders),
  stalledBody: everywhere('stalled body', socket.stalledBody),
  tricklingBody: everywhere('trickling body', socket.tricklingBody),
  truncatedJson: everywhere('truncated JSON', truncatedJson),
  wrongContentLength: everywhere('wrong content-length', socket.wrongContentLength),
  gzipCutShort: everywhere('gzip cut short', socket.gzipCutShort),
  gzipBomb: everywhere('a gzip bomb', socket.gzipBomb),
  invalidUtf8: everywhere('invalid UTF-8', socket.invalidUtf8),
  html: everywhere('HTML with 200', html),
  emptyBody: everywhere('empty 200', fixedBody('')),
  emptyObject: everywhere('{}', fixedBody('{}')),
  emptyArray: everywhere('[]', fixedBody('[]')),
  hugeBody: everywhere('a body of 100 MB', socket.hugeBody),
  deepNesting: everywhere('nesting 10,000 deep', deepNesting),
  deepNestingBeside: everywhere('nesting 10,000 deep beside the right members', deepNestingBeside),
  itemsNull: at(
    listNames,
    'items null',
    page((parts) => ({ ...parts, items: null })),
  ),
  itemsNoArray: at(
    listNames,
    'items not an array',
    page((parts) => ({ ...parts, items: Object.fromEntries(parts.items.entries()) })),
  ),
  itemNoObject: at(
    listNames,
    'an item that is no object',
    page((parts) => ({ ...parts, items: [...parts.items, 7] })),
  ),
  itemEmpty: at(
    listNames,
    'an item that is empty',
    page((parts) => ({ ...parts, items: [{}, ...parts.items] })),
  ),
  paginationAbsent: at(
    listNames,
    'pagination absent',
    page((parts) => ({ ...parts, metadata: {} })),
  ),
  offsetNotEchoed: at(
    pagedBy('offset'),
    'offset not echoed',
    pagination(({ call }) => ({ offset: Number(call.query['offset']) + 1 })),
  ),
  cursorNoText: at(
    pagedBy('cursor'),
    'a cursor that is no text',
    pagination(() => ({ nextCursor: 7 })),
  ),
  cursorRepeated: at(
    pagedBy('cursor'),
    'cursors A, A',
    nextCursor(({ call }) => call.query['after']),
  ),
  cursorAlternating: at(
    pagedBy('cursor'),
    'cursors A, B, A, B',
    nextCursor(({ call, cursorBefore }) => cursorBefore(String(call.query['after']))),
  ),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof catalogue;
export const faultNames = Object.keys(catalogue) as FaultName[];
