/** What servers, frameworks and gateways mean by their words. This is the only place that knows them, for lists and token endpoints alike. */

/** Separates the words of codes and names: `ip_not_allowed`, `tokenExpired`. */
const inWords = (text: string): string => text.replaceAll('_', ' ').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');

/** A limit on requests has been reached. */
const LIMIT =
  /rate[ -]?limit|too[ -]?many[ -]?requests|quota[ -]?(\w+ ){0,3}(exceeded|exhausted|reached)|exceeded (\w+ ){0,4}quota|out of call volume quota|(request|call)s?[ -]?limit[ -]?(\w+ ){0,3}(exceeded|reached)|throttl/i;
export const saysLimit = (text: string): boolean => LIMIT.test(inWords(text));

/** A token is not valid, or not any more. */
const TOKEN_INVALID =
  /\b(invalid|expired|malformed|revoked)[ -]?(access |bearer |auth )?(token|jwt)|\b(token|jwt)[ -]?(has |is |was )?(been )?(expired|invalid|malformed|revoked|not valid)/i;

/** The request has no token, or none in the form that is expected. Gateways say so when they do not know an address, too. */
const TOKEN_MISSING =
  /\b(missing|no|without)( an?| the| valid| required)*( authentication| authori[sz]ation| access| auth| bearer| api)? (token|jwt|credentials)\b|\b(token|jwt|credentials)( is| are| was| were)?( missing| required| not (present|found|provided))|\b(missing|no)( valid)?( \w+)? (api|subscription|access|auth\w*)[ -]?(key|header)\b|\bunauthenticated\b|full authentication is required/i;

/** The header with the token is meant, whatever is wrong with it. */
const TOKEN_HEADER = /authori[sz]ation['" ]*(http |request )?(header|field)|header:? ['"]?authori[sz]ation/i;

/** True for words that say that a request has no token. */
export const saysNoToken = (text: string): boolean =>
  TOKEN_MISSING.test(inWords(text)) || TOKEN_HEADER.test(inWords(text));

/** True for words that are about the token of a request: it is missing, or not valid (any more). */
export const saysTokenRefused = (text: string): boolean =>
  saysNoToken(text) || TOKEN_INVALID.test(inWords(text));

/** A member that requests may have. */
const MEMBER =
  '(field|parameter|property|properties|argument|attribute|member|body|payload|client ?-?(id|secret)|user ?-?name|password|grant)';
const LACK =
  '(required|missing|absent|empty|blank|undefined|not (be )?(present|provided|supplied|specified|exist|allowed|null|empty|blank)|must be (present|provided|supplied|specified|set)|unrecogni[sz]ed|additional|unknown (field|property|parameter))';
/** A request of another form is expected: it lacks members, or has others, or is not JSON. */
const FORM = new RegExp(
  `grant ?type|urlencoded|content[- ]?type|media type|deseriali[sz]|parse error|unexpected token|\\b${MEMBER}\\b[^.;]{0,40}\\b${LACK}|\\b${LACK}\\b[^.;]{0,40}\\b${MEMBER}\\b`,
  'i',
);

/** True for words that say that a request of another form is expected; its values are not the problem. */
export const saysForm = (text: string): boolean => FORM.test(inWords(text));

const REJECTED =
  '(invalid|incorrect|wrong|bad|unknown|expired|revoked|disabled|inactive|locked|unauthori[sz]ed|denied|fail(ed|ure)?|mismatch(ed)?|not? (be )?(valid|match|found|correct|recogni[sz]ed|exist|active|authori[sz]ed|accepted))';
const CLIENT = '(clients?|credentials?|secret|password)( ?-?id)?';
/** A client or its secret is rejected. The gap holds neither quotes nor brackets, so that a request that is quoted is no reason. */
const CLIENT_REJECTED = new RegExp(
  `\\b${REJECTED}\\b[\\w' -]{0,24}\\b${CLIENT}\\b|\\b${CLIENT}\\b[\\w' -]{0,24}\\b${REJECTED}\\b|\\binvalid grant\\b|\\baccess denied\\b`,
  'i',
);

/** True for words that say that a client or its secret is rejected. */
export const saysClientRejected = (text: string): boolean => CLIENT_REJECTED.test(inWords(text));

/** A time itself is not accepted, in whatever form: it is too early or too late. */
const OUT_OF_RANGE =
  /\b(too|older|oldest|earlier|earliest|later|latest|before|after|past|future|within|at (most|least)|exceed\w*|max\w*|min\w*|range|retention|retained|history|archived?)\b|\b\d+ (day|month|hour|week)s?\b/i;

/** True for words that say that a time is too early or too late. */
export const saysOutOfRange = (text: string): boolean => OUT_OF_RANGE.test(inWords(text));

/** The server, or something that it needs, is out of order; what else it says may only follow from that. */
const OUTAGE =
  /unavailable|maintenance|time[ds]?[ -]?out|overload|bad gateway|upstream|database|connection|connect to|(failed|unable|not able) to|(could|can)( ?not|n't) (be )?(verif|validat|check|reach|contact|load|look|process|read)/i;

/** True for words that say that a server is out of order. */
export const saysOutage = (text: string): boolean => OUTAGE.test(inWords(text));

/** Nobody is served for now. */
const PAUSE =
  /temporar|(try|retry)( it)? again (later|soon|in|at|after)\b|(be )?(right )?back (soon|shortly|in|at|later)|out of (order|service)|under construction|\bdown\b|(gateway|server|service|application) error|too busy/i;

/** True for words that say that a service is not available for a while, as on a page in its place. */
export const saysDown = (text: string): boolean => saysOutage(text) || PAUSE.test(inWords(text));

/** Why a machine, a connection or a request without a certain header may not have access, whoever has which permission. */
const ACCESS =
  /\b(ips?|headers?|certificates?|https|m?tls|ssl|country|countries|region|geo\w*|vpn|networks?|firewall|(allow|white|black|deny|block) ?-?list\w*)\b/i;

/** What a refusal may be about, by its status, and the words for it. */
const ABOUT = {
  credentials:
    /client|credential|secret|password|user|account|log ?in|audience|scope|grant|permi|(?<!un)authori[sz]/i,
  // also by the names of its claims
  token:
    /token|jwt|bearer|audience|credential|signature|issuer|expired|session|claim|\b(nbf|exp|iat|aud|iss|kid)\b/i,
  permission:
    /permi|privilege|entitle|scope|role|licen[cs]e|subscri|(?<!un)authori[sz]|purchase|bought|product|module|grant|audience/i,
};
export type Topic = keyof typeof ABOUT;

/** Parts of a text that give no reason: names of members, numbers, paths, times and IDs. */
const VAGUE = [/"[\w -]+" ?:/g, /[^\s"]*[\d/*][^\s"]*/g];
/** Words that only repeat a status. */
const RESTATED =
  /\b(http|error|errors|code|status|message|exception|type|title|the|an?|is|are|was|to|of|for|on|this|your?|has|have|been|not|no|found|true|false|null|bad|request|access|denied|refused|rejected|forbidden|unauthori[sz]ed|failed|failure|resource|server|client|invalid|wrong|incorrect|unprocessable|entity|content|payment|required|authentication|unknown)\b/gi;

/** True if a text gives a reason for a refusal that is another one than the topic of its status. */
export function saysElse(text: string, topic: Topic): boolean {
  const values = VAGUE.reduce((rest, vague) => rest.replaceAll(vague, ' '), inWords(text));
  if (ACCESS.test(values)) return true;
  return /\p{L}{2}/u.test(values.replaceAll(RESTATED, ' ')) && !ABOUT[topic].test(values);
}
