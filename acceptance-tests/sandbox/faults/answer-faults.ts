import type { Answer } from '../api/answer.ts';
import type { Call, Scene } from './act.ts';

/** What the answer to a list says, read again; numbers may lose digits. */
export interface ReadPage {
  items: unknown[];
  metadata: { pagination: Record<string, unknown> };
}

/** Where an envelope without extras, and in the usual order, has it. */
const paginationText = /"pagination":\{[^}]*\}(?=\}\}$)/;
/** Nothing but 10,000 arrays in one another. */
export const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

export const pageOf = (answer: Answer): ReadPage => JSON.parse(answer.body) as ReadPage;

/** Sends the page with some members of its pagination changed; false where that cannot be, or one of them is not known. */
export function changePagination({ answer, deliver }: Scene, members: object): boolean {
  if (Object.values(members).includes(undefined) || answer.status !== 200) return false;
  const changed = { ...pageOf(answer).metadata.pagination, ...members };
  // the items stay as they are, to the byte
  const body = answer.body.replace(paginationText, () => `"pagination":${JSON.stringify(changed)}`);
  if (body === answer.body) return false;
  deliver({ ...answer, body });
  return true;
}

/** An error with a status, whose body repeats what is secret in the request. */
export function refused(call: Call, status: number, more: Record<string, string>): Answer {
  const headers = { ...more, 'content-type': 'application/json' };
  return { status, headers, body: JSON.stringify({ message: `refused: ${echo(call)}` }), rows: 0 };
}

/** A page for people, which repeats what is secret in the request. */
export function html(call: Call, title: string, more: Record<string, string>) {
  const body = `<!DOCTYPE html>\n<title>${title}</title>\n<p>You sent ${echo(call)}</p>`;
  return { headers: { ...more, 'content-type': 'text/html' }, body };
}

/** To the same address under another name of this machine; whoever follows carries the secret to another host. */
export function redirect({ response }: Call, status: number): Answer {
  const { url = '/', headers } = response.req;
  const { port } = new URL(`http://${headers.host}`);
  return { status, headers: { location: `http://localhost:${port}${url}` }, body: '', rows: 0 };
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

const base64 = (text: string): string => Buffer.from(text).toString('base64');
