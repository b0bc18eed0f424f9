import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { temporaryFile } from '../config/temporary-file.test-support.ts';
import { programOf } from '../own-process.test-support.ts';
import {
  AUTHORITY,
  SERVER,
  makeAuthority,
  withAuthorities,
  type Issued,
  type Wish,
} from './authority.test-support.ts';
import { certificateAdvice } from './certificate.ts';
import { adviceFor, type HttpExchangeError } from './exchange-error.ts';
import { getFrom } from './loopback.test-support.ts';
import { serve, whyNoCertificate } from './proxy.test-support.ts';

const reason = whyNoCertificate();

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The code and the advice of a request to a server with a certificate, if NODE_EXTRA_CA_CERTS names a file. */
async function refused(
  certificate: Issued,
  file: string | undefined,
): Promise<[code: string, advice: string]> {
  vi.stubEnv('NODE_EXTRA_CA_CERTS', file);
  const { port } = await serve((_, response) => response.end(), certificate);
  const error = await getFrom(`https://127.0.0.1:${port}`, 20_000, 1024).then(
    () => Promise.reject(new Error('it did not fail')),
    (failure: unknown) => failure as HttpExchangeError,
  );
  expect(error.fault).toBe('tls');
  const advice = adviceFor(error, 'auth_url').replaceAll(JSON.stringify(file ?? ''), 'FILE');
  return [error.message.replace(/:.*/, ''), advice];
}

/** The same of a new process, which trusts the certificates in the file: Node.js reads it only at its start. */
async function refusedByOther(certificates: readonly Issued[], file: string): Promise<unknown[]> {
  const ports: number[] = [];
  for (const certificate of certificates)
    ports.push((await serve((_, response) => response.end(), certificate)).port);
  const code = `
    import { exchange } from './request.ts';
    const results = [];
    for (const port of ${JSON.stringify(ports)})
      results.push(await exchange({ method: 'GET', url: new URL('https://127.0.0.1:' + port), headers: {}, body: null,
        deadlineMs: 50_000, maxBytes: 1000, signal: new AbortController().signal })
        .then(() => 'accepted', ({ message, advice }) => [message.replace(/:.*/, ''), advice]));
    console.log(JSON.stringify(results));`;
  const child = spawn(process.execPath, [programOf(code, import.meta.dirname)], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_EXTRA_CA_CERTS: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(
    (await text(child.stdout)).replaceAll(JSON.stringify(file).slice(1, -1), 'FILE'),
  ) as unknown[];
}

/** A root, what it has issued, and an older root with the same name. */
function makeChain(): ReadonlyMap<string, Issued> {
  const issue = makeAuthority();
  return new Map([
    ['older Root', issue('Root', 'Root', AUTHORITY)],
    ['Root', issue('Root', 'Root', AUTHORITY)],
    ['Between', issue('Between', 'Root', AUTHORITY)],
    ['leaf', issue('leaf', 'Between', SERVER)],
  ]);
}

const SET = 'set NODE_EXTRA_CA_CERTS to a file with its certificate';
const NOTE = 'note that NODE_EXTRA_CA_CERTS is FILE, which';

const trusting = (name: string): string =>
  `If you trust "${name}", which may be a firewall that inspects TLS, `;
const incomplete = (name: string, issuer: string): string =>
  `NODE_EXTRA_CA_CERTS is FILE, which contains the certificate of "${name}", but not that of its own issuer, "${issuer}": add all certificates above it, up to the root.`;
const extended = ({ extensions, days }: Wish, more: string): Wish => ({
  extensions: `${extensions}${more}`,
  days,
});

describe.skipIf(reason !== null)(`chains${reason === null ? '' : `, skipped: ${reason}`}`, () => {
  let made: ReadonlyMap<string, Issued> | null = null; // once, because it takes long
  const alone =
    'The server does not send the certificate of "Between", which issued its own: unless that is a root, its operator should let the server send it. ';
  const above = ' and those above it, up to the root';

  const replace = 'ask the operator of the server to replace it.';
  const clock = 'check that the clock of this machine is right.';
  const VIOLATIONS = [
    [
      'CERT_HAS_EXPIRED',
      `The certificate of "Expired", above that of the server, has expired: the operator of the server must replace it; ${clock}`,
    ],
    ['CERT_HAS_EXPIRED', `The operator of the server must renew its certificate; ${clock}`],
    [
      'INVALID_PURPOSE',
      `A certificate above that of the server is not one of an authority, or its own is not made for servers: ${replace}`,
    ],
    [
      'INVALID_PURPOSE',
      `A certificate above that of the server is not one of an authority, or its own is not made for servers: ${replace}`,
    ],
    ['PATH_LENGTH_EXCEEDED', `More authorities follow each other than one of them allows: ${replace}`],
    ['UNSPECIFIED', `The certificate, or one above it, violates a rule: ${replace}`],
  ];

  test.each<[sent: string, inFile: string, code: string, advice: string]>([
    [
      'leaf',
      '',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      `${alone}${trusting('Between')}${SET}${above}. Verification cannot be disabled.`,
    ],
    [
      'leaf',
      'Root',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      `${alone}${trusting('Between')}${NOTE} does not contain its certificate: add it${above}.`,
    ],
    ['leaf', 'Between', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', incomplete('Between', 'Root')],
    ['leaf', 'leaf', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', incomplete('leaf', 'Between')],
    [
      'leaf Between',
      '',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      `${trusting('Root')}${SET}${above}. Verification cannot be disabled.`,
    ],
    ['leaf Between', 'Between', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', incomplete('Between', 'Root')],
    [
      'leaf Between Root',
      '',
      'SELF_SIGNED_CERT_IN_CHAIN',
      `${trusting('Root')}${SET}. Verification cannot be disabled.`,
    ],
    ['leaf Between Root', 'Between', 'SELF_SIGNED_CERT_IN_CHAIN', incomplete('Between', 'Root')],
    [
      'Root',
      'Between',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      `${trusting('Root')}${NOTE} does not contain its certificate: add it.`,
    ],
    [
      'Root',
      'older Root',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      `${trusting('Root')}${NOTE} contains another certificate of this name, perhaps an older one: add it.`,
    ],
    [
      'Root',
      'Root',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'NODE_EXTRA_CA_CERTS is FILE, which contains the certificate of "Root", but did not when this process started, or something before it is damaged.',
    ],
  ])('a server sends %s, and the file contains %j', async (sent, inFile, code, advice) => {
    made ??= makeChain();
    const issued = made;
    const [own, ...others] = sent.split(' ').flatMap((name) => issued.get(name) ?? []);
    if (own === undefined) throw new Error(sent);
    const server = withAuthorities(own, ...others);
    const held = issued.get(inFile);
    const file = held === undefined ? undefined : temporaryFile(held.cert.toString());
    expect(await refused(server, file)).toStrictEqual([code, advice]);
  });

  test('a chain to a trusted root that violates a rule: the message says which', async () => {
    const issue = makeAuthority();
    const root = issue('Root', 'Root', AUTHORITY);
    const below = (name: string, wish: Wish, own: Wish): Issued => {
      const between = issue(name, 'Root', wish);
      return withAuthorities(issue(`below ${name}`, name, own), between);
    };
    const last = issue('Last', 'Root', extended(AUTHORITY, ',pathlen:0'));
    const further = issue('Further', 'Last', AUTHORITY);
    const servers = [
      below('Expired', { ...AUTHORITY, days: -1 }, SERVER),
      issue('old', 'Root', { ...SERVER, days: -1 }),
      below('None', { ...AUTHORITY, extensions: 'basicConstraints=critical,CA:FALSE' }, SERVER),
      below('Purpose', AUTHORITY, extended(SERVER, '\nextendedKeyUsage=clientAuth')),
      withAuthorities(issue('far', 'Further', SERVER), further, last),
      below(
        'Names',
        extended(AUTHORITY, '\nnameConstraints=critical,permitted;IP:10.0.0.0/255.0.0.0'),
        SERVER,
      ),
    ];
    expect(await refusedByOther(servers, root.file)).toStrictEqual(VIOLATIONS);
  });
});

test.each<[file: string, problem: string]>([
  ['/no/such.pem', 'cannot be read (ENOENT)'],
  [import.meta.dirname, 'cannot be read (EISDIR)'],
  ['DER', 'contains no certificate in the PEM format'],
  ['-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n', 'contains a damaged certificate'],
])('the file %s is named with its problem', (given, problem) => {
  const file = given.startsWith('/') ? given : temporaryFile(given);
  expect(certificateAdvice('UNABLE_TO_VERIFY_LEAF_SIGNATURE', null, { NODE_EXTRA_CA_CERTS: file })).toBe(
    `If you trust its issuer, which may be a firewall that inspects TLS, note that NODE_EXTRA_CA_CERTS is ${JSON.stringify(file)}, which ${problem}.`,
  );
});
