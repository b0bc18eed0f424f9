import type { EndpointName } from '../client-types.ts';
import {
  body,
  deepNesting,
  deepNestingBeside,
  html,
  page,
  pagination,
  truncatedJson,
} from './body-faults.ts';
import type { Act } from './fault-act.ts';
import type { FaultName } from './fault-plan.ts';
import {
  closedUnanswered,
  gzipBomb,
  gzipCutShort,
  hugeBody,
  invalidUtf8,
  protocolChanged,
  resetBeforeAnswer,
  resetInBody,
  stalledBody,
  stalledHeaders,
  tricklingBody,
  wrongContentLength,
} from './socket-faults.ts';
import { gatewayRefusal, noContent, rateLimitedUntilDate, redirect, status } from './status-faults.ts';

/** One way to misbehave. */
export interface Fault {
  /** For people. */
  readonly words: string;
  /** Where it can happen. */
  readonly endpoints: readonly EndpointName[];
  readonly act: Act;
}

function everywhere(words: string, act: Act): Fault {
  return { words, endpoints: ['token', 'assets', 'alarms'], act };
}

function lists(words: string, act: Act): Fault {
  return { words, endpoints: ['assets', 'alarms'], act };
}

function alarms(words: string, act: Act): Fault {
  return { words, endpoints: ['alarms'], act };
}

/** Every fault: what it is called for people, where it can happen, how it is acted out. */
export const catalogue: Readonly<Record<FaultName, Fault>> = {
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
  noContent204: everywhere('204', noContent),
  protocolChanged101: everywhere('101', protocolChanged),
  connectionRefused: everywhere('connection refused', resetBeforeAnswer),
  resetBeforeAnswer: everywhere('reset before the answer', resetBeforeAnswer),
  closedUnanswered: everywhere('closed without an answer', closedUnanswered),
  resetInBody: everywhere('reset inside the body', resetInBody),
  stalledHeaders: everywhere('stalled headers', stalledHeaders),
  stalledBody: everywhere('stalled body', stalledBody),
  tricklingBody: everywhere('trickling body', tricklingBody),
  truncatedJson: everywhere('truncated JSON', truncatedJson),
  wrongContentLength: everywhere('wrong content-length', wrongContentLength),
  gzipCutShort: everywhere('gzip cut short', gzipCutShort),
  gzipBomb: everywhere('a gzip bomb', gzipBomb),
  invalidUtf8: everywhere('invalid UTF-8', invalidUtf8),
  html: everywhere('HTML with 200', html),
  emptyBody: everywhere(
    'empty 200',
    body(() => ''),
  ),
  emptyObject: everywhere(
    '{}',
    body(() => '{}'),
  ),
  emptyArray: everywhere(
    '[]',
    body(() => '[]'),
  ),
  hugeBody: everywhere('a body of 100 MB', hugeBody),
  deepNesting: everywhere('nesting 10,000 deep', deepNesting),
  deepNestingBeside: everywhere('nesting 10,000 deep beside the right members', deepNestingBeside),
  itemsNull: lists(
    'items null',
    page((parts) => ({ ...parts, items: null })),
  ),
  itemsNoArray: lists(
    'items not an array',
    page((parts) => ({ ...parts, items: Object.fromEntries(parts.items.entries()) })),
  ),
  itemNoObject: lists(
    'an item that is no object',
    page((parts) => ({ ...parts, items: [...parts.items, 7] })),
  ),
  itemEmpty: lists(
    'an item that is empty',
    page((parts) => ({ ...parts, items: [{}, ...parts.items] })),
  ),
  paginationAbsent: lists(
    'pagination absent',
    page((parts) => ({ ...parts, metadata: {} })),
  ),
  offsetNotEchoed: {
    words: 'offset not echoed',
    endpoints: ['assets'],
    act: pagination(({ call }) => ({ offset: Number(call.query['offset']) + 1 })),
  },
  cursorNoText: alarms(
    'a cursor that is no text',
    pagination(() => ({ nextCursor: 7 })),
  ),
  cursorRepeated: alarms(
    'cursors A, A',
    pagination(({ call }) => cursor(call.query['after'])),
  ),
  cursorAlternating: alarms(
    'cursors A, B, A, B',
    pagination(({ call, cursorBefore }) => cursor(cursorBefore(String(call.query['after'])))),
  ),
};

function cursor(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'string' ? { nextCursor: value } : undefined;
}
