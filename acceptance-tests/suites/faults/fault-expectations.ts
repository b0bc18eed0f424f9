import type { EndpointName, FaultName, FaultPlace } from '../../sandbox/client.ts';

/** The allowed endings of a stream (every row exactly once, or INCOMPLETE with an error), and the message of the error. */
export interface Expected {
  readonly endings: readonly ('exact' | 'config_error' | 'transient_error')[];
  readonly words: RegExp;
}

/** A permanent fault: the ending of a list, and of both if the token endpoint has it; null: it cannot. */
type Permanent = readonly [list: Expected, token: Expected | null];

const exact: Expected = { endings: ['exact'], words: /^$/ };
/** A person must fix something. */
const fix = (words: string): Expected => ({ endings: ['config_error'], words: new RegExp(words) });
/** It may be temporary. */
const mayPass = (words: string): Expected => ({ endings: ['transient_error'], words: new RegExp(words) });
/** It may be temporary, and enough attempts were made: how many, how long, the last answer, what to do. */
const spent = (last: string): Expected =>
  mayPass(
    `no usable response after \\d+ attempts in \\S+ \\w+\\. Last error: .*${last}.*([Tt]ry again later|broken at this place in each attempt)`,
  );

/** A definite refusal of a list or of the credentials. */
const refusal = (status: number, list: string, beforeCure: string): Permanent => [
  fix(list),
  fix(
    `rejected \\(${status}\\) for client_id "canary-client", audience "API" \\(token\\.kind\\)\\. ${beforeCure}Check client_id`,
  ),
];
/** Neither a list nor a token is at that address. */
const elsewhere = (status: number, list: string): Permanent => [
  fix(list),
  fix(`status ${status} instead of a token; the address \\S+ is probably wrong`),
];
/** No complete answer, with the same message for both. */
const broken = (words: string): Permanent => [spent(words), mayPass(words)];
/** The same, but the address of the token endpoint may be wrong. */
const unreachable = (words: string): Permanent => [
  spent(words),
  mayPass(`${words}.*Check (the address|auth_url) and the network`),
];
/** Not a page; not a token either. */
const noToken = mayPass(
  '^auth_url: the response with status 20\\d contains no accessToken: it is .+\\. (The response is not JSON, .*)?Check that http:',
);
const noPage = (words: string): Permanent => [spent(words), noToken];
/** Whole pages that cannot be read for 20 seconds. */
const lasting = (words: string): Expected =>
  fix(`the page cannot be read: .*${words}.*This did not pass within 20 s, so ask the API's provider`);
/** A first page of another shape. */
const otherShape = (found: string): Expected =>
  fix(`not a page that can be read: ${found}.* Supported are objects`);

/** Faults that mean another shape only on the first page, and only twice in a row. */
const OTHER_SHAPES: readonly FaultName[] = [
  'emptyArray',
  'deepNesting',
  'itemsAbsent',
  'itemsNoArray',
  'paginationAbsent',
  'cursorNoText',
];

/** The others have no rows, so they may be messages about an outage. */
const WITHOUT_ROWS: readonly FaultName[] = ['emptyArray', 'deepNesting'];
/** Faults in whole answers, which are tried again for a while. */
const IN_PAGES: readonly FaultName[] = [
  'invalidUtf8',
  'itemNoObject',
  'itemEmpty',
  'offsetNotEchoed',
  'protocolChanged101',
];
/** What a list that has returned pages does not mean. */
const NOT_MEANT: readonly FaultName[] = [
  'status401',
  'status403',
  'gateway403',
  'redirect302',
  'redirect307',
];

/** Offsets that are refused: rows in between are missing, or all rows from an offset on. */
const short = mayPass('states [\\d,]+ rows, but [\\d,]+ distinct rows? ');
const cutOff = fix('returns no rows from offset \\d+ on');

const notOurs =
  'the address redirects .* to \\S+\\. .*base_url \\(currently "http\\S+"\\) to the final address';
const limited: Permanent = [spent('status 429'), mayPass('token request limit.*429')];
const late = broken('no complete response within 60 s');
const loop: Permanent = [
  mayPass('returns to an earlier cursor.*The state remains valid; if this happens again'),
  null,
];

const permanent: Readonly<Record<FaultName, Permanent>> = {
  status400: refusal(
    400,
    'rejected the request \\(400\\) with .*The server says: ',
    '(The server says: .* )?',
  ),
  status401: refusal(401, 'rejected a valid token for audience "API" \\(401\\)\\. Check token\\.kind', ''),
  status403: refusal(
    403,
    'the permission is missing or the product was not bought \\(403\\).*must grant',
    '',
  ),
  gateway403: refusal(
    403,
    'not JSON, so a gateway or firewall .*permission is missing.*\\(cf-ray 8f00d00d-FRA\\)$',
    'The response is not JSON, so a gateway .*',
  ),
  status404: elsewhere(404, 'no list at http.*base_url \\(currently "http\\S+"\\) is probably wrong'),
  status408: broken('status 408'),
  status410: [fix('no list at http\\S+ \\(410\\)\\. .*The server says: '), fix('410')],
  status429Bare: limited,
  status429Seconds: limited,
  status429Date: limited,
  status500: broken('status 500'),
  status502: broken('status 502'),
  status503: broken('status 503'),
  status504: broken('status 504'),
  redirect302: elsewhere(302, notOurs.replace('.*', '\\(302\\).*')),
  redirect307: elsewhere(307, notOurs.replace('.*', '\\(307\\).*')),
  noContent204: noPage('status 204'),
  protocolChanged101: [fix('status 101.*must correct it'), mayPass('status 101.*must correct it')],
  connectionRefused: unreachable('ECONNREFUSED'),
  resetBeforeAnswer: unreachable('ECONNRESET'),
  closedUnanswered: unreachable('ECONNRESET'),
  resetInBody: broken('the response was truncated'),
  stalledHeaders: late,
  stalledBody: late,
  tricklingBody: late,
  truncatedJson: noPage('the body is not valid JSON at byte \\d+.*the text ends'),
  // the JSON is whole
  wrongContentLength: [exact, exact],
  gzipCutShort: unreachable('not valid gzip'),
  gzipBomb: broken('larger than \\d+ bytes'),
  invalidUtf8: [
    lasting('not valid UTF-8 at byte \\d+'),
    mayPass('accessToken that is not valid in a header'),
  ],
  html: noPage('not valid JSON \\(status 200, text/html\\): .*Sign in'),
  emptyBody: noPage('the body is empty'),
  emptyObject: noPage('no array `items`'),
  emptyArray: [otherShape('the body is an empty array'), noToken],
  hugeBody: broken('larger than \\d+ bytes'),
  deepNesting: [otherShape('the body is an array of 1 value'), noToken],
  deepNestingBeside: [exact, exact],
  itemsAbsent: [otherShape('the body is an object with "metadata" \\(an object with "pagination"\\)'), null],
  itemsNoArray: [otherShape('the body is an object with "items" \\(an object with '), null],
  itemNoObject: [lasting('items\\[\\d+\\] is not an object with fields'), null],
  itemEmpty: [lasting('items\\[0\\] is not an object with fields'), null],
  paginationAbsent: [otherShape('the body is an object with .*"metadata" \\(an empty object\\)'), null],
  offsetNotEchoed: [lasting('the page states offset \\d+, but \\d+ was requested'), null],
  cursorNoText: [otherShape('metadata\\.pagination\\.nextCursor is a boolean'), null],
  cursorRepeated: loop,
  cursorAlternating: loop,
};

/** Whether it fails at once, unless the list was readable before. */
export function isDefinite(fault: FaultName): boolean {
  return permanent[fault][0].endings.includes('config_error') && !IN_PAGES.includes(fault);
}

/** Responses to an offset past the end, or to an expired cursor. */
const PLACE_REFUSALS: readonly FaultName[] = ['status400', 'status404', 'status410'];

/** The outcome of a permanent fault. */
export function staying(fault: FaultName, endpoint: EndpointName, at: FaultPlace): Expected {
  const expected = atPlace(fault, endpoint, at);
  // after four minutes, or with smaller pages, the list is read from its created time again, and its pages begin elsewhere
  const mayEnd = expected.endings.includes('transient_error') || IN_PAGES.includes(fault);
  const isPassable = endpoint === 'alarms' && at !== 'first' && mayEnd;
  return isPassable ? { ...expected, endings: ['exact', ...expected.endings] } : expected;
}

function atPlace(fault: FaultName, endpoint: EndpointName, at: FaultPlace): Expected {
  const [list, token] = permanent[fault];
  if (endpoint === 'token') return token ?? exact;
  // permissions and addresses rarely change within a read; a random fault may be at the first page
  if (NOT_MEANT.includes(fault) && at !== 'first') {
    const later = spent(`status ${fault.slice(-3)}`);
    const words = new RegExp(`${list.words.source}|${later.words.source}`);
    return at === 'random' ? { endings: ['config_error', 'transient_error'], words } : later;
  }
  if (OTHER_SHAPES.includes(fault) && at === 'random')
    return { endings: ['config_error', 'transient_error'], words: /./ };
  if (OTHER_SHAPES.includes(fault) && at !== 'first')
    return WITHOUT_ROWS.includes(fault)
      ? spent('')
      : fix('not a page that can be read: .*Earlier pages had it\\. This did not pass within 20 s');
  const isPlaceRefused = at !== 'first' && PLACE_REFUSALS.includes(fault);
  // a refused cursor may have expired: each new start from the created time reads one more page
  if (endpoint === 'alarms' && isPlaceRefused) return exact;
  // some servers fail to process an expired cursor; a random fault may be at the first page, too
  if (endpoint === 'alarms' && fault === 'status500' && at !== 'first')
    return at === 'random' ? { ...list, endings: ['exact', 'transient_error'] } : exact;
  // a refused offset counts as an empty page, and its rows are missing
  if (endpoint === 'assets' && isPlaceRefused) return cutOff;
  return list;
}

/** The outcome of a passing fault: every row, unless the fault is definite. */
export function passing(fault: FaultName, endpoint: EndpointName, at: FaultPlace): Expected {
  const [list, token] = permanent[fault];
  if (endpoint === 'token') {
    // a limit without an end is the documented one: hours; an answer without a token has cost an issuance, and is requested once more
    const isBelieved = fault === 'status429Bare' || (isDefinite(fault) && token !== noToken);
    return isBelieved ? staying(fault, endpoint, at) : exact;
  }
  // a cursor that returns is a loop at once
  if (fault.startsWith('cursor') && endpoint === 'alarms')
    return { ...list, endings: ['exact', ...list.endings] };
  // a random fault may be twice at the first page
  if (OTHER_SHAPES.includes(fault))
    return at === 'random' ? { ...list, endings: ['exact', 'config_error'] } : exact;
  if (!isDefinite(fault)) return exact;
  // the first page may be refused for its size, so a smaller one is tried
  const isAboutSize = endpoint === 'assets' && fault === 'status400';
  // a token that was just issued may be accepted a moment later
  if (at === 'first') return isAboutSize || fault === 'status401' ? exact : list;
  // a random fault may be at the first page, or twice at the same page: if that is a later page, its offset counts as refused
  if (at === 'random' && endpoint === 'assets' && PLACE_REFUSALS.includes(fault))
    return {
      endings: ['exact', 'config_error', 'transient_error'],
      words: new RegExp(`${list.words.source}|${cutOff.words.source}|${short.words.source}`),
    };
  if (at === 'random') return { ...list, endings: ['exact', 'config_error'] };
  // a request that was allowed before is repeated, with another token if that was refused
  return exact;
}
