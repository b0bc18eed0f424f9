import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer, Query } from '../api/answer.ts';
import type { EndpointName } from '../lists.ts';

/** One request to an endpoint of the API. `body` is empty for a GET; `response` is still untouched. */
export interface Call {
  endpoint: EndpointName;
  headers: IncomingHttpHeaders;
  query: Query;
  body: string;
  response: ServerResponse;
}

/** A moment at which a fault can happen: the request, the right answer to it, and the cursor that was asked for before. */
interface Scene {
  readonly call: Call;
  readonly answer: Answer;
  readonly cursorBefore: string | undefined;
}

/** What a fault makes of the answer; undefined: it has sent something itself; false: it cannot happen here. */
export type Act = (scene: Scene) => Partial<Answer> | undefined | false;

/** What the answer to a list says, read again; numbers may lose digits. */
interface ReadPage {
  items: unknown[];
  metadata: { pagination: Record<string, unknown> };
}

/** Where an envelope without extras, and in the usual order, has it. */
const paginationText = /"pagination":\{[^}]*\}(?=\}\}$)/;
/** Nothing but 10,000 arrays in one another. */
export const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
const pageOf = ({ body }: Answer): ReadPage => JSON.parse(body) as ReadPage;

/** The page with some parts changed. */
export function page(change: (parts: ReadPage) => object): Act {
  return ({ answer }) => ({ body: JSON.stringify({ ...pageOf(answer), ...change(pageOf(answer)) }) });
}

/** The page with some members of its pagination changed, where that can be, and all of them are known. */
export function members(change: (call: Call, cursorBefore: string | undefined) => object): Act {
  return ({ call, answer, cursorBefore }) => {
    const wanted = change(call, cursorBefore);
    if (Object.values(wanted).includes(undefined) || answer.status !== 200) return false;
    const changed = { ...pageOf(answer).metadata.pagination, ...wanted };
    // the items stay as they are, to the byte
    const body = answer.body.replace(paginationText, () => `"pagination":${JSON.stringify(changed)}`);
    return body === answer.body ? false : { body };
  };
}

/** An error with a status, whose body repeats what is secret in the request. */
export function refusal(status: number, more: Record<string, string>): Act {
  const headers = { ...more, 'content-type': 'application/json' };
  return ({ call }) => {
    return { status, headers, body: JSON.stringify({ message: `refused: ${echo(call)}` }), rows: 0 };
  };
}

/** A page for people, which repeats what is secret in the request. */
export function html(title: string, part: Partial<Answer>, more: Record<string, string>): Act {
  return ({ call }) => {
    const body = `<!DOCTYPE html>\n<title>${title}</title>\n<p>You sent ${echo(call)}</p>`;
    return { headers: { ...more, 'content-type': 'text/html' }, body, ...part };
  };
}

/** To the same address under another name of this machine; whoever follows carries the secret to another host. */
export function redirect(status: number): Act {
  return ({ call: { response, headers } }) => {
    const { port } = new URL(`http://${headers.host}`);
    return {
      status,
      headers: { location: `http://localhost:${port}${response.req.url}` },
      body: '',
      rows: 0,
    };
  };
}

/**
 * The secrets of a request, as a careless server repeats them in what it says: plain, encoded for an address, in base64,
 * and in base64 behind a user's name.
 */
function echo({ headers, body }: Call): string {
  const text = /"clientSecret"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1];
  const clientSecret = text === undefined ? undefined : (JSON.parse(text) as string);
  return [headers.authorization?.replace(/^Bearer /, ''), clientSecret]
    .filter((secret) => secret !== undefined)
    .flatMap((secret) => [secret, encodeURIComponent(secret), base64(secret), base64(`you:${secret}`)])
    .join(' ');
}

const base64 = (secret: string): string => Buffer.from(secret).toString('base64');
