import type { EndpointName, FaultName, FaultPlace, ListName } from '../../sandbox/client.ts';
import { eachList, listNames } from '../../sandbox/lists.ts';

/** How a stream ends: with every row exactly once, or INCOMPLETE with an error of that kind. */
export type Ending = 'exact' | 'config_error' | 'transient_error';

/** The endings that are right, and what the message of an error says. */
export interface Expected {
  readonly endings: readonly Ending[];
  readonly words: RegExp;
}

const exact: Expected = { endings: ['exact'], words: /^$/ };

/** A person must mend something. */
function mend(words: RegExp): Expected {
  return { endings: ['config_error'], words };
}

/** It may pass by itself. */
function mayPass(words: RegExp): Expected {
  return { endings: ['transient_error'], words };
}

/** It may pass, and enough attempts were made: how many, how long, what came last, what to do. */
function spent(last: RegExp): Expected {
  const words = String.raw`no usable answer in \d+ attempts and \d+ s of waiting\. Last answer: .*`;
  return mayPass(new RegExp(`${words}${last.source}.*try again later`));
}

/** One or the other. */
function either(one: Expected, another: Expected): Expected {
  const words = new RegExp(`${one.words.source}|${another.words.source}`);
  return { endings: [...one.endings, ...another.endings], words };
}

const loop = mayPass(
  /comes back to a cursor that it has had.*The state stays where it was; if it happens again/,
);
const noToken = mayPass(/^auth_url: the answer \(status 20\d\) holds no accessToken; .*http:/);
const client = /client_id canary-client, audience API/.source;

/** A fault that stays: what a list ends with, and what both do if the token endpoint has it; null: it cannot. */
export const permanent: Readonly<
  Record<FaultName, { readonly list: Expected; readonly token: Expected | null }>
> = {
  status400: {
    list: mend(/refuses the request \(400\) with .*The server says: /),
    token: mend(new RegExp(`refused \\(400\\) for ${client}. Check client_id`)),
  },
  status401: {
    list: mend(/does not accept a fresh token for audience API \(401\)\. Check `token`/),
    token: mend(new RegExp(`refused \\(401\\) for ${client}. Check client_id`)),
  },
  status403: {
    list: mend(/permission missing or product not bought \(403\).*must grant/),
    token: mend(new RegExp(`refused \\(403\\) for ${client}. Check client_id`)),
  },
  gateway403: {
    list: mend(/a gateway or firewall on the way .*no JSON.*permission missing.*\(cf-ray 8f00d00d-FRA\)$/),
    token: mend(
      new RegExp(`refused \\(403\\) for ${client}. The answer is no JSON, so a gateway .*Check client_id`),
    ),
  },
  status404: {
    list: mend(/no list at http.*base_url is probably wrong/),
    token: mend(/status 404 instead of a token; the address is probably wrong/),
  },
  status408: { list: spent(/status 408/), token: mayPass(/status 408/) },
  status410: {
    list: mend(/refuses the request \(410\) with .*The server says: /),
    token: mend(/410/),
  },
  status429Bare: { list: spent(/status 429/), token: mayPass(/limit of token requests.*429/) },
  status429Seconds: { list: spent(/status 429/), token: mayPass(/limit of token requests.*429/) },
  status429Date: { list: spent(/status 429/), token: mayPass(/limit of token requests.*429/) },
  status500: { list: spent(/status 500/), token: mayPass(/status 500/) },
  status502: { list: spent(/status 502/), token: mayPass(/status 502/) },
  status503: { list: spent(/status 503/), token: mayPass(/status 503/) },
  status504: { list: spent(/status 504/), token: mayPass(/status 504/) },
  redirect302: {
    list: mend(/redirects elsewhere \(302\).*base_url to the final address/),
    token: mend(/status 302 instead of a token; the address is probably wrong/),
  },
  redirect307: {
    list: mend(/redirects elsewhere \(307\).*base_url to the final address/),
    token: mend(/status 307 instead of a token; the address is probably wrong/),
  },
  noContent204: { list: spent(/status 204/), token: noToken },
  protocolChanged101: {
    list: spent(/status 101/),
    token: mayPass(/status 101.*Check the address and the network/),
  },
  connectionRefused: {
    list: spent(/ECONNREFUSED/),
    token: mayPass(/ECONNREFUSED.*Check the address and the network/),
  },
  resetBeforeAnswer: {
    list: spent(/ECONNRESET/),
    token: mayPass(/ECONNRESET.*Check the address and the network/),
  },
  closedUnanswered: {
    list: spent(/ECONNRESET/),
    token: mayPass(/ECONNRESET.*Check the address and the network/),
  },
  resetInBody: { list: spent(/the answer was cut off/), token: mayPass(/the answer was cut off/) },
  stalledHeaders: {
    list: spent(/no whole answer within 60 s/),
    token: mayPass(/no whole answer within 60 s/),
  },
  stalledBody: { list: spent(/no whole answer within 60 s/), token: mayPass(/no whole answer within 60 s/) },
  tricklingBody: {
    list: spent(/no whole answer within 60 s/),
    token: mayPass(/no whole answer within 60 s/),
  },
  truncatedJson: { list: spent(/the body is not valid JSON/), token: noToken },
  wrongContentLength: { list: spent(/the answer was cut off/), token: mayPass(/the answer was cut off/) },
  gzipCutShort: {
    list: spent(/not valid gzip/),
    token: mayPass(/not valid gzip.*Check the address and the network/),
  },
  gzipBomb: { list: spent(/larger than \d+ bytes/), token: mayPass(/larger than \d+ bytes/) },
  invalidUtf8: {
    list: spent(/not valid UTF-8/),
    token: mayPass(/accessToken that cannot stand in a header/),
  },
  html: { list: spent(/not valid JSON \(status 200, text\/html\): .*Sign in/), token: noToken },
  emptyBody: { list: spent(/the body is empty/), token: noToken },
  emptyObject: { list: spent(/no array `items`/), token: noToken },
  emptyArray: { list: spent(/not a JSON object/), token: noToken },
  hugeBody: { list: spent(/larger than \d+ bytes/), token: mayPass(/larger than \d+ bytes/) },
  deepNesting: { list: spent(/not a JSON object/), token: noToken },
  deepNestingBeside: { list: exact, token: exact },
  itemsNull: { list: spent(/no array `items`/), token: null },
  itemsNoArray: { list: spent(/no array `items`/), token: null },
  itemNoObject: { list: spent(/items\[\d+\] is not an object with fields/), token: null },
  itemEmpty: { list: spent(/items\[0\] is not an object with fields/), token: null },
  paginationAbsent: { list: spent(/no object `metadata\.pagination`/), token: null },
  offsetNotEchoed: { list: spent(/the page is at offset \d+, asked for was \d+/), token: null },
  cursorNoText: { list: spent(/nextCursor is not a text/), token: null },
  cursorRepeated: { list: loop, token: null },
  cursorAlternating: { list: loop, token: null },
};

/** Statuses that are an answer: they are believed at once, unless the list was read until then. */
export const definite: readonly FaultName[] = [
  'status400',
  'status401',
  'status403',
  'gateway403',
  'status404',
  'status410',
  'redirect302',
  'redirect307',
];

/** Answers of the token endpoint, with a status of success, that hold no token. */
const unreadable: readonly FaultName[] = [
  'noContent204',
  'truncatedJson',
  'invalidUtf8',
  'html',
  'emptyBody',
  'emptyObject',
  'emptyArray',
  'deepNesting',
];

/** A fault that stays at a page of a list. */
export function staying(fault: FaultName, endpoint: EndpointName, at: FaultPlace): Expected {
  const { list, token } = permanent[fault];
  if (endpoint === 'token') return token ?? exact;
  // whether another page was given for the new token first is a matter of time: then it is not the token that is wrong
  if (fault === 'status401' && at !== 'first') return either(list, spent(/status 401/));
  // a cursor that is refused may have expired: each new start from the created time gets a page further
  const restarts = fault === 'status400' || fault === 'status404' || fault === 'status410';
  return endpoint === 'alarms' && at !== 'first' && restarts ? exact : list;
}

/** What a fault that passes ends with: all is well, unless it looks like an answer. */
export function passing(fault: FaultName, endpoint: EndpointName, at: FaultPlace): Expected {
  // a limit without an end is the one that is documented: hours
  const isTokenLimit = endpoint === 'token' && fault === 'status429Bare';
  if (isTokenLimit || (endpoint === 'token' && definite.includes(fault))) return staying(fault, endpoint, at);
  // an answer without a token has cost an issuance, and no other is asked for in the same run
  if (endpoint === 'token' && unreadable.includes(fault)) return staying(fault, endpoint, at);
  if (!definite.includes(fault)) return exact;
  // a refusal of the first page may be about its size, and a smaller one is tried
  const isAboutSize = endpoint === 'assets' && (fault === 'status400' || fault === 'status410');
  if (at === 'first') return isAboutSize ? exact : permanent[fault].list;
  // at random it may come twice for the same page, and at the first page
  if (at === 'random') return { ...permanent[fault].list, endings: ['exact', 'config_error'] };
  // what was let through before is asked once more, with another token if that is what is refused
  return exact;
}

/** Another list. */
export const other = eachList((list): ListName => listNames.find((name) => name !== list) ?? list);
