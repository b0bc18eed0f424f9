import { isUtf8 } from 'node:buffer';
import { isObject, parsedJson, type JsonObject } from '../config/files.ts';
import { configError, transientError, type ConnectorError } from '../errors.ts';
import { describeValue, jsonIn } from '../http/json-shape.ts';
import { displayUrl, excerptOf, gatewayHint, isStated, type HttpResponse } from '../http/response.ts';
import { quoted } from '../protocol/messages.ts';
import { describeText } from './text-body.ts';

/** The JSON in the body of a response; undefined if there is none. */
export function valueOf({ body }: Pick<HttpResponse, 'body'>): unknown {
  // TextDecoder removes a byte order mark
  return parsedJson(new TextDecoder().decode(body));
}

/** The token in a body, in the spelling of the API or of OAuth; null if there is none. */
export function tokenIn(value: unknown): unknown {
  if (!isObject(value)) return null;
  const { accessToken, access_token: spelled } = value;
  return accessToken ?? spelled ?? null;
}

const TOKEN_NAME = /^(access_?|id_?|bearer_?|auth_?)?(token|jwt)$/i;
const MAX_DEPTH = 6; // of objects, arrays and JSON in strings

/** The path of a token in another place than `accessToken`, such as `data.accessToken`; null if there is none. */
export function placeOfToken(value: unknown): string | null {
  return placeIn(value, '', MAX_DEPTH);
}

function placeIn(value: unknown, path: string, depth: number): string | null {
  if (depth === 0) return null;
  if (typeof value === 'string') return placeIn(jsonIn(value), path, depth - 1);
  if (typeof value !== 'object' || value === null) return null;
  const isArray = Array.isArray(value);
  for (const [name, inner] of Object.entries(value as JsonObject)) {
    const place = isArray ? `${path}[${name}]` : path + (path === '' ? '' : '.') + name;
    if (!isArray && TOKEN_NAME.test(name) && typeof inner === 'string' && inner !== '') return place;
    const found = placeIn(inner, place, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

/** False for JSON that says nothing, such as `{}` or `[]`, as it is returned in an outage. */
function saysAnything(value: unknown, depth: number): boolean {
  if (depth === 0) return false;
  if (typeof value === 'string') return value !== '' && saysAnything(jsonIn(value) ?? { value }, depth - 1);
  if (Array.isArray(value)) return value.some((one) => saysAnything(one, depth - 1));
  return isObject(value) && Object.keys(value).length > 0;
}

interface Asked {
  readonly url: URL;
  readonly redact: (text: string) => string;
  readonly hasIssued: boolean; // the endpoint has issued a token for this before
}

/**
 * The error for a success without a token that can be used, for the reason in `problem`; null if it has none. A token in another form or
 * place, or JSON that says something, is from the endpoint itself, so the next response would be the same, and cost another token: a
 * config_error that names what was found, without the values, which might be a token. Anything else may pass.
 */
export function describeNoToken(
  problem: string | null,
  response: HttpResponse,
  { url, redact, hasIssued }: Asked,
): ConnectorError {
  const { status, headers } = response;
  const value = valueOf(response);
  const excerpt = excerptOf(response, redact);
  const { found, isLasting } =
    value === undefined ? foundInText(response, redact) : foundInJson(value, hasIssued);
  const lead = `auth_url: the response with status ${status}${excerpt.requestIds} ${problem ?? 'contains no accessToken'}`;
  const gateway = value === undefined && !isLasting ? gatewayHint({ headers, excerpt }) : '';
  const advice = `${gateway}Check that ${displayUrl(url)} is the token endpoint.`;
  // other bytes were damaged on the way
  if (isLasting && isUtf8(response.body)) {
    const where = problem === null ? `, but ${redact(found)}` : '';
    return configError('TOKEN_REFUSED', `${lead}${where}. ${advice} Such responses cannot be read.`);
  }
  const what = problem === null ? `: it is ${redact(found)}` : '';
  return transientError('TOKEN_UNREADABLE', `${lead}${what}. ${advice}`, null);
}

/** What was found in place of a token, and whether the next response will be the same. */
type Found = Readonly<{ found: string; isLasting: boolean }>;

function foundInText({ body }: HttpResponse, redact: (text: string) => string): Found {
  const { words, holdsToken } = describeText(body, redact);
  return { found: holdsToken ? `${words}, which may be a token` : words, isLasting: holdsToken };
}

function foundInJson(value: unknown, hasIssued: boolean): Found {
  const hasToken = isStated(tokenIn(value)) || tokenIn(value) === '';
  const place = hasToken ? null : placeOfToken(value);
  const found = place === null || typeof value === 'string' ? describeValue(value) : quoted(place);
  // an endpoint that has issued tokens may be in maintenance
  const isLasting = hasToken || place !== null || (saysAnything(value, MAX_DEPTH) && !hasIssued);
  return { found, isLasting };
}
