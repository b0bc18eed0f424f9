import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../config/temporary-file.test-support.ts';
import type { Answer } from './loopback.test-support.ts';

/** A self-signed certificate for `api.example`, `proxy.example` and loopback. */
export interface Certificate {
  readonly file: string; // path of the certificate, for NODE_EXTRA_CA_CERTS
  readonly cert: Buffer;
  readonly key: Buffer;
}

const DAY_MS = 86_400_000;

/** Creates a certificate that is valid now, for the usual names; throws without openssl. */
export function makeCertificate(): Certificate {
  const [from, to] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)];
  return makeCertificateFor('DNS:api.example,DNS:proxy.example,IP:127.0.0.1', from, to);
}

/** Creates a certificate for these names (in the format of openssl) with this validity. */
export function makeCertificateFor(names: string, from: Date, to: Date): Certificate {
  const folder = temporaryDirectory();
  const openssl = (...args: string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const authority =
    '[ca]\ndefault_ca=a\n[a]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n' +
    `x509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=${names}\n[req]\ndistinguished_name=n\n[n]\n`;
  writeFileSync(join(folder, 'config'), authority);
  writeFileSync(join(folder, 'index'), '');
  writeFileSync(join(folder, 'serial'), '01\n');
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-new',
    ...curve,
    '-config',
    'config',
    '-subj',
    '/CN=test',
    '-keyout',
    'key.pem',
    '-out',
    'asked',
  );
  const dates = ['-startdate', opensslDate(from), '-enddate', opensslDate(to)];
  const files = ['-keyfile', 'key.pem', '-in', 'asked', '-out', 'cert.pem'];
  openssl('ca', '-batch', '-selfsign', '-notext', '-config', 'config', ...dates, ...files);
  const [file, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  return { file, cert: readFileSync(file), key: readFileSync(key) };
}

function opensslDate(date: Date): string {
  return date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
}

/** Why no certificate can be created here; null if one can. */
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

/** Starts a server on loopback until the end of the test; it never closes an idle connection. */
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
  readonly seen: readonly string[]; // `CONNECT host:port` and plain requests, with their credentials
  /** Of all these requests. */
  readonly userAgents: ReadonlySet<string | undefined>;
}

/** How a proxy handles CONNECT: tunnels to a port, refuses with a status, sends bytes and disconnects, or stalls. */
export type Tunnel =
  { readonly to: number } | { readonly refuse: number } | { readonly say: string } | 'stall';

/** Starts a proxy that handles CONNECT as `tunnel` says, whatever its target; `answer` handles plain requests. */
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
