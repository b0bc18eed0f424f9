import type { Answer } from '../api/answer.ts';
import type { Act, Call, Scene } from './act.ts';

/** What the answer to a list says, read again; numbers may lose digits. */
interface ReadPage {
  items: unknown[];
  metadata: { pagination: Record<string, unknown> };
}

/** Where an envelope without extras, and in the usual order, has it. */
const paginationText = /"pagination":\{[^}]*\}(?=\}\}$)/;
const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

const pageOf = (answer: Answer): ReadPage => JSON.parse(answer.body) as ReadPage;

/** Another answer in the place of the right one. */
function other(change: (scene: Scene) => Partial<Answer>): Act {
  return (scene) => {
    scene.deliver({ ...scene.answer, ...change(scene) });
    return true;
  };
}

/** Always the same body, under the right status. */
export const fixedBody = (body: string): Act => other(() => ({ body }));

/** The first half of the body, whole as far as HTTP knows. */
export const truncatedJson = other(({ answer: { body } }) => ({ body: body.slice(0, body.length / 2) }));

/** Nothing but 10,000 arrays in one another. */
export const deepNesting = fixedBody(deep);

/** The right body with a member beside the others that is nested 10,000 deep: large, but nothing is wrong with it. */
export const deepNestingBeside = other(({ answer: { body } }) => ({
  body: body.replace(/\}\s*$/, `,"deep":${deep}}`),
}));

/** A page whose parts are changed. */
export function page(change: (parts: ReadPage) => object): Act {
  return other(({ answer }) => ({ body: JSON.stringify(change(pageOf(answer))) }));
}

/** The pagination object with some members changed; where one of them would be undefined, it cannot be changed. */
export function pagination(change: (scene: Scene) => object): Act {
  return (scene) => {
    const members = change(scene);
    const { body: right } = scene.answer;
    if (Object.values(members).includes(undefined) || scene.answer.status !== 200) return false;
    const changed = { ...pageOf(scene.answer).metadata.pagination, ...members };
    // the items stay as they are, to the byte
    const body = right.replace(paginationText, () => `"pagination":${JSON.stringify(changed)}`);
    if (body === right) return false;
    scene.deliver({ ...scene.answer, body });
    return true;
  };
}

/** An error with a status, whose body repeats what is secret in the request. */
export function status(code: number, headers: Readonly<Record<string, string>>): Act {
  return other(({ call }) => ({
    status: code,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ message: `refused: ${echo(call)}` }),
    rows: 0,
  }));
}

function htmlOf(title: string, call: Call): string {
  return `<!DOCTYPE html>\n<title>${title}</title>\n<p>You sent ${echo(call)}</p>`;
}

/** A page for people, as gateways and login pages give it with status 200. */
export const html = other(({ call }) => ({
  headers: { 'content-type': 'text/html' },
  body: htmlOf('Sign in', call),
}));

/** The page of a gateway that lets nobody through, which has nothing to do with permissions. */
export const gatewayRefusal = other(({ call }) => ({
  status: 403,
  headers: { 'content-type': 'text/html', 'cf-ray': '8f00d00d-FRA' },
  body: htmlOf('Blocked', call),
  rows: 0,
}));

/** A rate limit that names the date at which it ends, a second after its own Date header, in whole seconds as HTTP has them. */
export const rateLimitedUntilDate: Act = (scene) =>
  status(429, { 'retry-after': new Date(Date.now() + 1000).toUTCString() })(scene);

/** To the same address under another name of this machine; whoever follows carries the secret to another host. */
export function redirect(code: number): Act {
  return other(({ call }) => {
    const { url = '/', headers } = call.response.req;
    const { port } = new URL(`http://${headers.host}`);
    return { status: code, headers: { location: `http://localhost:${port}${url}` }, body: '', rows: 0 };
  });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * The secrets of a request, as a careless server repeats them in what it says: plain, encoded for an address, in base64,
 * and in base64 behind a user's name.
 */
function echo({ headers, body }: Call): string {
  return [headers.authorization?.replace(/^Bearer /, ''), clientSecretIn(body)]
    .filter((secret) => secret !== undefined)
    .flatMap((secret) => [secret, encodeURIComponent(secret), base64(secret), base64(`you:${secret}`)])
    .join(' ');
}

function clientSecretIn(sent: string): string | undefined {
  const text = /"clientSecret"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(sent)?.[1];
  return text === undefined ? undefined : (JSON.parse(text) as string);
}
