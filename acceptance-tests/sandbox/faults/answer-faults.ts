import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer, Query } from '../api/answer.ts';
import type { EndpointName } from '../lists.ts';

/** A request to an endpoint of the API. `body` is empty for a GET; nothing has been written to `response` yet. */
export interface Call {
  endpoint: EndpointName;
  headers: IncomingHttpHeaders;
  query: Query;
  body: string;
  response: ServerResponse;
}

/** A request, its correct response, and the cursor of the request before it. */
interface Context {
  readonly call: Call;
  readonly answer: Answer;
  readonly previousCursor: string | undefined;
}

/** Returns changes of the response; undefined if it has sent something itself; false if it does not apply. */
export type Apply = (context: Context) => Partial<Answer> | undefined | false;

/** A parsed page; numbers may lose digits. */
interface ParsedPage {
  items: unknown[];
  metadata: { pagination: Record<string, unknown> };
}

/** Matches the pagination object of a page without extra members and in the default order. */
const paginationText = /"pagination":\{[^}]*\}(?=\}\}$)/;
/** 10,000 nested arrays. */
export const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
const parse = ({ body }: Answer): ParsedPage => JSON.parse(body) as ParsedPage;

/** Replaces some members of the page. */
export function page(change: (page: ParsedPage) => object): Apply {
  return ({ answer }) => ({ body: JSON.stringify({ ...parse(answer), ...change(parse(answer)) }) });
}

/** Replaces some members of the pagination object. Does not apply if one is undefined. */
export function pagination(change: (call: Call, previousCursor: string | undefined) => object): Apply {
  return ({ call, answer, previousCursor }) => {
    const members = change(call, previousCursor);
    if (Object.values(members).includes(undefined) || answer.status !== 200) return false;
    const changed = { ...parse(answer).metadata.pagination, ...members };
    // the items stay the same, byte for byte
    const body = answer.body.replace(paginationText, () => `"pagination":${JSON.stringify(changed)}`);
    return body === answer.body ? false : { body };
  };
}

/** An error response whose body repeats the secrets of the request. */
export function errorResponse(status: number, more: Record<string, string>): Apply {
  const headers = { ...more, 'content-type': 'application/json' };
  return ({ call }) => {
    return { status, headers, body: JSON.stringify({ message: `refused: ${echo(call)}` }), held: [] };
  };
}

/** An HTML page that repeats the secrets of the request. */
export function html(title: string, part: Partial<Answer>, more: Record<string, string>): Apply {
  return ({ call }) => {
    const body = `<!DOCTYPE html>\n<title>${title}</title>\n<p>You sent ${echo(call)}</p>`;
    return { headers: { ...more, 'content-type': 'text/html' }, body, ...part };
  };
}

/** Redirects to the same address under another host name, which would receive the secrets. */
export function redirect(status: number): Apply {
  return ({ call: { response, headers } }) => {
    const { port } = new URL(`http://${headers.host}`);
    const location = `http://localhost:${port}${response.req.url}`;
    return { status, headers: { location }, body: '', held: [] };
  };
}

/** The secrets of a request in the forms in which careless servers repeat them: plain, URL-encoded and in base64. */
function echo({ headers, body }: Call): string {
  const text = /"clientSecret"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1];
  const clientSecret = text === undefined ? undefined : (JSON.parse(text) as string);
  return [headers.authorization?.replace(/^Bearer /, ''), clientSecret]
    .filter((secret) => secret !== undefined)
    .flatMap((secret) => [secret, encodeURIComponent(secret), base64(secret), base64(`you:${secret}`)])
    .join(' ');
}

const base64 = (secret: string): string => Buffer.from(secret).toString('base64');
