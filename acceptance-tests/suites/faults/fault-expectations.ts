import type { EndpointName, FaultName, FaultPlace } from '../../sandbox/client.ts';

/** The endings of a stream that are right (every row exactly once, or INCOMPLETE with an error), and what the error says. */
export interface Expected {
  readonly endings: readonly ('exact' | 'config_error' | 'transient_error')[];
  readonly words: RegExp;
}

/** A fault that stays: what a list ends with, and what both do if the token endpoint has it; null: it cannot. */
type Permanent = readonly [list: Expected, token: Expected | null];

const exact: Expected = { endings: ['exact'], words: /^$/ };
/** A person must mend something. */
const mend = (words: string): Expected => ({ endings: ['config_error'], words: new RegExp(words) });
/** It may pass by itself. */
const mayPass = (words: string): Expected => ({ endings: ['transient_error'], words: new RegExp(words) });
/** It may pass, and enough attempts were made: how many, how long, what came last, what to do. */
const spent = (last: string): Expected =>
  mayPass(
    `no usable response in \\d+ attempts and \\d+ s of waiting\\. Last error: .*${last}.*try again later`,
  );

/** An answer that is believed: what is said of a list, and in which words a token is refused with it. */
const refusal = (status: number, list: string, beforeCure: string): Permanent => [
  mend(list),
  mend(`rejected \\(${status}\\) for client_id canary-client, audience API. ${beforeCure}Check client_id`),
];
/** Nobody is at that address: neither a list nor a token. */
const elsewhere = (status: number, list: string): Permanent => [
  mend(list),
  mend(`status ${status} instead of a token; the address is probably wrong`),
];
/** No answer that is whole, in the same words for both. */
const broken = (words: string): Permanent => [spent(words), mayPass(words)];
/** The same where the way to the token endpoint may be what is wrong. */
const unreachable = (words: string): Permanent => [
  spent(words),
  mayPass(`${words}.*Check the address and the network`),
];
/** A page that is none; as an answer of the token endpoint it holds no token. */
const noToken = mayPass('^auth_url: the response with status 20\\d contains no accessToken; .*http:');
const noPage = (words: string): Permanent => [spent(words), noToken];
/** A page that is none, as only a list can send it. */
const inPage = (words: string): Permanent => [spent(words), null];

/** What becomes of rows at offsets that are refused: after the first page, and where only the last rows stand. */
const short = mayPass('states \\d+ rows, but \\d+ different ones were found');
const cutOff = mend('returns no rows from offset \\d+ on');

const notOurs = 'the address redirects .*base_url to the final address';
const limited: Permanent = [spent('status 429'), mayPass('limit of token requests.*429')];
const late = broken('no complete response within 60 s');
const loop: Permanent = [
  mayPass('returns to an earlier cursor.*The state is unchanged; if this happens again'),
  null,
];

const permanent: Readonly<Record<FaultName, Permanent>> = {
  status400: refusal(400, 'rejected the request \\(400\\) with .*The server says: ', ''),
  status401: refusal(401, 'rejected a fresh token for audience API \\(401\\)\\. Check `token`', ''),
  status403: refusal(403, 'permission missing or product not bought \\(403\\).*must grant', ''),
  gateway403: refusal(
    403,
    'not JSON, so a gateway or firewall .*permission missing.*\\(cf-ray 8f00d00d-FRA\\)$',
    'The response is not JSON, so a gateway .*',
  ),
  status404: elsewhere(404, 'no list at http.*base_url is probably wrong'),
  status408: broken('status 408'),
  status410: [mend('rejected the request \\(410\\) with .*The server says: '), mend('410')],
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
  protocolChanged101: unreachable('status 101'),
  connectionRefused: unreachable('ECONNREFUSED'),
  resetBeforeAnswer: unreachable('ECONNRESET'),
  closedUnanswered: unreachable('ECONNRESET'),
  resetInBody: broken('the response was truncated'),
  stalledHeaders: late,
  stalledBody: late,
  tricklingBody: late,
  truncatedJson: noPage('the body is not valid JSON'),
  wrongContentLength: broken('the response was truncated'),
  gzipCutShort: unreachable('not valid gzip'),
  gzipBomb: broken('larger than \\d+ bytes'),
  invalidUtf8: [spent('not valid UTF-8'), mayPass('accessToken that is not valid in a header')],
  html: noPage('not valid JSON \\(status 200, text/html\\): .*Sign in'),
  emptyBody: noPage('the body is empty'),
  emptyObject: noPage('no array `items`'),
  emptyArray: noPage('not a JSON object'),
  hugeBody: broken('larger than \\d+ bytes'),
  deepNesting: noPage('not a JSON object'),
  deepNestingBeside: [exact, exact],
  itemsNull: inPage('no array `items`'),
  itemsNoArray: inPage('no array `items`'),
  itemNoObject: inPage('items\\[\\d+\\] is not an object with fields'),
  itemEmpty: inPage('items\\[0\\] is not an object with fields'),
  paginationAbsent: inPage('no object `metadata\\.pagination`'),
  offsetNotEchoed: inPage('the page states offset \\d+, but \\d+ was requested'),
  cursorNoText: inPage('nextCursor is not a string'),
  cursorRepeated: loop,
  cursorAlternating: loop,
};

/** Whether it is an answer, which is believed at once, unless the list was read until then. */
export function isDefinite(fault: FaultName): boolean {
  return permanent[fault][0].endings.includes('config_error');
}

/** A fault that stays at a page of a list. */
export function staying(fault: FaultName, endpoint: EndpointName, at: FaultPlace): Expected {
  const [list, token] = permanent[fault];
  if (endpoint === 'token') return token ?? exact;
  // what was allowed a minute ago is rarely forbidden now; where the fault strikes at random, it may be the first page
  if ((fault === 'status401' || fault === 'status403' || fault === 'gateway403') && at !== 'first') {
    const later = spent(`status ${fault.slice(-3)}`);
    const words = new RegExp(`${list.words.source}|${later.words.source}`);
    return at === 'random' ? { endings: ['config_error', 'transient_error'], words } : later;
  }
  const isPlaceRefused = at !== 'first' && ['status400', 'status404', 'status410'].includes(fault);
  // a cursor that is refused may have expired: each new start from the created time gets a page further
  if (endpoint === 'alarms' && isPlaceRefused) return exact;
  // an offset that is refused counts as an empty page, and what is not shown there is missed
  if (endpoint === 'assets' && isPlaceRefused) return at === 'last' ? cutOff : short;
  return list;
}

/** What a fault that passes ends with: all is well, unless it looks like an answer. */
export function passing(fault: FaultName, endpoint: EndpointName, at: FaultPlace): Expected {
  const [list, token] = permanent[fault];
  if (endpoint === 'token') {
    // a limit without an end is the one that is documented: hours; an answer without a token has cost an issuance, and no other
    // is asked for in the same run
    const isBelieved = ['status429Bare', 'invalidUtf8'].includes(fault) || token === noToken;
    return isBelieved || isDefinite(fault) ? staying(fault, endpoint, at) : exact;
  }
  if (!isDefinite(fault)) return exact;
  // a refusal of the first page may be about its size, and a smaller one is tried
  const isAboutSize = endpoint === 'assets' && (fault === 'status400' || fault === 'status410');
  if (at === 'first') return isAboutSize ? exact : list;
  // at random it may come twice for the same page, and at the first page
  if (at === 'random') return { ...list, endings: ['exact', 'config_error'] };
  // what was let through before is asked once more, with another token if that is what is refused
  return exact;
}
