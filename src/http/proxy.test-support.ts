import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { temporaryDirectory } from '../config/temporary-file.test-support.ts';
import type { Answer } from './loopback.test-support.ts';

/** A certificate that nobody knows, for `api.example`, `proxy.example` and loopback: its own authority. */
export interface Certificate {
  /** Path of the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Makes a certificate with openssl; throws if there is none. */
export function makeCertificate(): Certificate {
  const folder = temporaryDirectory();
  const [file, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const names = 'subjectAltName=DNS:api.example,DNS:proxy.example,IP:127.0.0.1';
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const output = ['-keyout', key, '-out', file];
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, ...output, '-days', '2', '-subj', '/CN=test', '-addext', names],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  return { file, cert: readFileSync(file), key: readFileSync(key) };
}

/** Why no certificate can be made here; null if one can. */
export function whyNoCertificate(): string | null {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return null;
  } catch (error) {
    return String(error);
  }
}

interface Listening {
  readonly port: number;
  readonly server: Server;
}

/** A server on loopback that lives as long as the test and never closes an idle connection. */
export async function serve(answer: Answer, certificate: Certificate | null): Promise<Listening> {
  const idle = { keepAliveTimeout: 0 };
  const server =
    certificate === null
      ? createHttpServer(idle, answer)
      : createHttpsServer({ ...certificate, ...idle }, answer);
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, server };
}

export interface Proxy {
  readonly port: number;
  /** `CONNECT host:port` and plain requests as they came, with the credentials sent. */
  readonly seen: readonly string[];
  /** Who asked, of all of these. */
  readonly userAgents: ReadonlySet<string | undefined>;
}

/** What a proxy does with a tunnel that it is asked for: the port that it leads to, a status that refuses it, the bytes that it says before it hangs up, or `stall`. */
export type Tunnel =
  { readonly to: number } | { readonly refuse: number } | { readonly say: string } | 'stall';

/** A proxy. Wherever tunnels shall go, they lead to what `tunnel` says; plain requests get `answer`. */
export async function startProxy(
  tunnel: Tunnel,
  answer: Answer,
  certificate: Certificate | null,
): Promise<Proxy> {
  const seen: string[] = [];
  const userAgents = new Set<string | undefined>();
  const note = (request: IncomingMessage): void => {
    userAgents.add(request.headers['user-agent']);
    const credentials = request.headers['proxy-authorization'];
    seen.push(
      `${request.method} ${request.url} host ${request.headers.host}${credentials === undefined ? '' : ` ${credentials}`}`,
    );
  };
  const { port, server } = await serve((request, response) => {
    note(request);
    answer(request, response);
  }, certificate);
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    note(request);
    socket.on('error', () => undefined);
    if (tunnel === 'stall') return;
    if ('say' in tunnel) {
      socket.end(tunnel.say);
      return;
    }
    if ('refuse' in tunnel) {
      socket.end(`HTTP/1.1 ${tunnel.refuse} No\r\ncontent-length: 2\r\n\r\nno`);
      return;
    }
    const onwards = connect(tunnel.to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onwards.pipe(socket).pipe(onwards);
    });
    onwards.on('error', () => socket.destroy());
    socket.on('close', () => onwards.destroy());
  });
  return { port, seen, userAgents };
}
