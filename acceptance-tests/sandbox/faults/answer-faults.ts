import { pageOf, type Act, type Call, type ReadPage, type Scene } from './act.ts';

/** Where an envelope without extras, and in the usual order, has it. */
const paginationText = /"pagination":\{[^}]*\}(?=\}\}$)/;
const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

/** Another body in the place of the right one, under its status. */
function body(change: (scene: Scene) => string): Act {
  return (scene) => {
    scene.deliver({ ...scene.answer, body: change(scene) });
    return true;
  };
}

/** Always the same body. */
export const fixedBody = (text: string): Act => body(() => text);

/** The first half of the body, whole as far as HTTP knows. */
export const truncatedJson = body(({ answer }) => answer.body.slice(0, answer.body.length / 2));

/** Nothing but 10,000 arrays in one another. */
export const deepNesting = fixedBody(deep);

/** The right body with a member beside the others that is nested 10,000 deep: large, but nothing is wrong with it. */
export const deepNestingBeside = body(({ answer }) => answer.body.replace(/\}\s*$/, `,"deep":${deep}}`));

/** A page whose parts are changed. */
export function page(change: (parts: ReadPage) => object): Act {
  return body(({ answer }) => JSON.stringify(change(pageOf(answer))));
}

/** The pagination object with some members changed; undefined: they cannot be changed here. */
export function pagination(change: (scene: Scene) => object | undefined): Act {
  return (scene) => {
    const members = change(scene);
    if (members === undefined) return false;
    const { body: right } = scene.answer;
    const changed = { ...pageOf(scene.answer).metadata.pagination, ...members };
    // the items stay as they are, to the byte
    const wrong = right.replace(paginationText, () => `"pagination":${JSON.stringify(changed)}`);
    if (wrong === right) return false;
    scene.deliver({ ...scene.answer, body: wrong });
    return true;
  };
}

/** Another cursor behind the page; what is no text cannot stand there. */
export function nextCursor(change: (scene: Scene) => unknown): Act {
  return pagination((scene) => {
    const cursor = change(scene);
    return typeof cursor === 'string' ? { nextCursor: cursor } : undefined;
  });
}

/** An error with a status, whose body repeats what is secret in the request. */
export function status(code: number, headers: Readonly<Record<string, string>>): Act {
  return ({ call, deliver }) => {
    const text = JSON.stringify({ message: `refused: ${echo(call)}` });
    deliver({
      status: code,
      headers: { ...headers, 'content-type': 'application/json' },
      body: text,
      rows: 0,
    });
    return true;
  };
}

/** A page for people, as gateways and login pages give it with status 200. */
export const html: Act = ({ call, answer, deliver }) => {
  const text = `<!DOCTYPE html>\n<title>Sign in</title>\n<p>You sent ${echo(call)}</p>`;
  deliver({ ...answer, headers: { 'content-type': 'text/html' }, body: text });
  return true;
};

/** The page of a gateway that lets nobody through, which has nothing to do with permissions. */
export const gatewayRefusal: Act = ({ call, deliver }) => {
  const headers = { 'content-type': 'text/html', 'cf-ray': '8f00d00d-FRA' };
  const text = `<!DOCTYPE html>\n<title>Blocked</title>\n<p>You sent ${echo(call)}</p>`;
  deliver({ status: 403, headers, body: text, rows: 0 });
  return true;
};

/** A rate limit that names the date at which it ends, a second after its own Date header. */
export const rateLimitedUntilDate: Act = (scene) => {
  // whole seconds: a date of HTTP has no others
  const until = new Date(Date.now() + 1000).toUTCString();
  return status(429, { 'retry-after': until })(scene);
};

/** To the same address under another name of this machine; whoever follows carries the secret to another host. */
export function redirect(code: number): Act {
  return ({ call, deliver }) => {
    const { url = '/', headers } = call.response.req;
    const { port } = new URL(`http://${headers.host}`);
    const location = `http://localhost:${port}${url}`;
    deliver({ status: code, headers: { location }, body: '', rows: 0 });
    return true;
  };
}

/**
 * The secrets of a request, as a careless server repeats them in what it says: plain, encoded for an address, in base64,
 * and in base64 behind a user's name.
 */
function echo({ headers, body: sent }: Call): string {
  return [headers.authorization?.replace(/^Bearer /, ''), clientSecretIn(sent)]
    .filter((secret) => secret !== undefined)
    .flatMap((secret) => [secret, encodeURIComponent(secret), base64(secret), base64(`you:${secret}`)])
    .join(' ');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function clientSecretIn(sent: string): string | undefined {
  try {
    const { clientSecret } = JSON.parse(sent) as { clientSecret?: unknown };
    return typeof clientSecret === 'string' ? clientSecret : undefined;
  } catch {
    return undefined;
  }
}
