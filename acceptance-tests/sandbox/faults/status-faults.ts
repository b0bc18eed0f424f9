import type { Act } from './fault-act.ts';
import { echo } from './echo.ts';

/** An error with a status, whose body repeats what is secret in the request. */
export function status(code: number, headers: Readonly<Record<string, string>>): Act {
  return ({ call, deliver }) => {
    const body = JSON.stringify({ message: `refused: ${echo(call)}` });
    deliver({ status: code, headers: { ...headers, 'content-type': 'application/json' }, body, rows: 0 });
    return true;
  };
}

/** The page of a gateway that lets nobody through, which has nothing to do with permissions. */
export const gatewayRefusal: Act = ({ call, deliver }) => {
  const headers = { 'content-type': 'text/html', 'cf-ray': '8f00d00d-FRA' };
  const body = `<!DOCTYPE html>\n<title>Blocked</title>\n<p>You sent ${echo(call)}</p>`;
  deliver({ status: 403, headers, body, rows: 0 });
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
    const port = new URL(`http://${headers.host}`).port;
    const location = `http://localhost:${port}${url}`;
    deliver({ status: code, headers: { location }, body: '', rows: 0 });
    return true;
  };
}

/** "No content", in whose place a list has a page. */
export const noContent: Act = ({ call }) => {
  call.response.writeHead(204).end();
  return true;
};
