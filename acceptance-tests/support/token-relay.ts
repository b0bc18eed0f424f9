import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One token request as it came from the connector, and its outcome. */
export interface TokenRequest {
  readonly method: string;
  readonly contentType: string | undefined;
  readonly body: unknown;
  readonly status: number;
}

/** Stands before the token endpoints of a sandbox: hands everything on, and remembers bodies and tokens. */
export interface TokenRelay {
  /** The address to configure instead of `authUrl`. */
  address(authUrl: string): string;
  /** The requests to the endpoint at `authUrl`, in order. */
  requests(authUrl: string): readonly TokenRequest[];
  /** The tokens that came from the endpoint at `authUrl`; each is here before the connector has it. */
  tokens(authUrl: string): readonly string[];
  close(): Promise<void>;
}

/** Starts a relay for the sandbox at `target` (`http://127.0.0.1:port`), on a free port of the loopback interface. */
export async function startTokenRelay(target: string): Promise<TokenRelay> {
  const seen: (TokenRequest & { readonly path: string; readonly token: string | undefined })[] = [];

  const relay = async (request: IncomingMessage): Promise<Response> => {
    const path = request.url ?? '';
    const method = request.method ?? '';
    const contentType = request.headers['content-type'];
    const body = await text(request);
    const headers = { 'content-type': contentType ?? 'application/json' };
    const answer = await fetch(target + path, method === 'GET' ? { method } : { method, body, headers });
    const said = (await answer
      .clone()
      .json()
      .catch(() => undefined)) as { accessToken?: string } | undefined;
    const sent: unknown = JSON.parse(body);
    seen.push({ path, method, contentType, body: sent, status: answer.status, token: said?.accessToken });
    return answer;
  };

  const server = createServer((request, response) => {
    void relay(request).then(
      async (answer) =>
        response
          .writeHead(answer.status, Object.fromEntries(answer.headers))
          .end(Buffer.from(await answer.arrayBuffer())),
      (error: unknown) => response.writeHead(502).end(`token relay: ${String(error)}`),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (authUrl: string): typeof seen => seen.filter(({ path }) => path === new URL(authUrl).pathname);
  return {
    address: (authUrl) => url + new URL(authUrl).pathname,
    requests: (authUrl) =>
      at(authUrl).map(({ method, contentType, body, status }) => ({ method, contentType, body, status })),
    tokens: (authUrl) => at(authUrl).flatMap(({ token }) => token ?? []),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
