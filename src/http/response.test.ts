import { expect, test } from 'vitest';
import { createRedactor } from '../protocol/redactor.ts';
import { displayUrl, excerptOf, gatewayHint, printable, serverSays } from './response.ts';

function textOf(body: Buffer, redact: (text: string) => string): string {
  return excerptOf({ headers: {}, body }, redact).text;
}

function plain(text: string): string {
  return text;
}

test('the text is the first 200 characters on one line', () => {
  expect(textOf(Buffer.from(' a\r\n\t<b>\u2028no  </b> '), plain)).toBe('a <b> no </b>');
  expect(textOf(Buffer.from('é'.repeat(500)), plain)).toBe('é'.repeat(200));
  expect(textOf(Buffer.alloc(0), plain)).toBe('');
});

test.each([
  ['<html>\r\n\t<body>\u2028no  </body> ', 'no'],
  [
    `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><style>${'b{margin:0} '.repeat(50)}</style><title>503 Busy</title></head><body><h1>Back at 14:00</h1>`,
    '503 Busy Back at 14:00',
  ],
  ['<!-- a <b> --><html><script>if (1<2) x()</SCRIPT>no<br/>entry<!-- ', 'no entry'],
  // what shows nothing is quoted as it is
  ['<html><script src="/a.js"></script></html>', '<html><script src="/a.js"></script></html>'],
])('of HTML, what a browser shows is quoted: %j', (body, text) => {
  expect(textOf(Buffer.from(body), plain)).toBe(text);
});

test.each([
  ['<?xml version="1.0"?>\n<Error><Code>Busy</Code><Message>Try later</Message></Error>', 'Busy Try later'],
  ['<soap:Fault xmlns:soap="x"><faultstring><![CDATA[no entry]]></faultstring></soap:Fault>', 'no entry'],
  ['<b', '<b'],
  ['<error code="7"/>', '<error code="7"/>'],
  ['<- no', '<- no'],
])('of XML, its texts are quoted: %j', (body, text) => {
  expect(textOf(Buffer.from(body), plain)).toBe(text);
});

test.each(['<html>Got abcdef<ghijkl>mnopqr.', '<html>Got abcdef&lt;ghijkl&gt;mnopqr.'])(
  'a secret is masked before tags are removed: %s',
  (body) => {
    const redactor = createRedactor();
    redactor.hide('abcdef<ghijkl>mnopqr');
    expect(textOf(Buffer.from(body), redactor.redact)).toBe('Got ******.');
  },
);

test.each(['<html>', '<html><script>', '<html><!--', '<html><'])('%s many times takes no time', (part) => {
  const startedMs = performance.now();
  textOf(Buffer.from(part.repeat(20_000)), plain);
  textOf(Buffer.from(`<html>${part.slice(6).repeat(64_000)}`), plain);
  expect(performance.now() - startedMs).toBeLessThan(1000);
});

test.each([
  [
    { 'www-authenticate': 'Basic realm="staging"' },
    '{}',
    /^The response asks for Basic authentication, so a gateway/,
  ],
  [{ 'www-authenticate': 'Bearer realm="api"' }, '{}', /^$/],
  [{ 'www-authenticate': 'Negotiate, Bearer' }, '{}', /^$/],
  [
    {},
    '{"message":"Missing Authentication Token"}',
    /^The response says that no token was sent, or not as expected, so a gateway/,
  ],
  [{}, '{"message":"No API key found in request"}', /^The response says that no token was sent/],
  ...[
    '{"error":"Authorization field missing"}',
    '{"message":"The Authorization header is missing"}',
    "Invalid key=value pair (missing equal-sign) in Authorization header: 'Bearer x'",
    'Jwt is missing',
    '{"message":"Access denied due to missing subscription key."}',
    '{"message":"Authentication credentials were not provided."}',
    '{"code":"missing_credentials"}',
  ].map((body): [object, string, RegExp] => [{}, body, /^The response says that no token was sent/]),
  [{}, `{"message":"Required request header 'X-Tenant-Id' is not present"}`, /^$/],
  [{}, '{"message":"You have no authorization for this module"}', /^$/],
  [{}, '<html>no', /^The response is not JSON, so a gateway/],
  [{}, '', /^$/],
])('a gateway is suspected by what it asks for or how it speaks: %j %j', (headers, body, hint) => {
  const excerpt = excerptOf({ headers, body: Buffer.from(body) }, plain);
  expect(gatewayHint({ headers, excerpt })).toMatch(hint);
});

test('the headers that give a reason are quoted, without secrets', () => {
  const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="canary fleet"' };
  expect(serverSays(excerptOf({ headers, body: Buffer.alloc(0) }, mask))).toBe(
    ' (WWW-Authenticate: Bearer error="insufficient_scope", scope="****** fleet")',
  );
});

test('a secret across the cut is masked before the cut', () => {
  const secret = 'canary-secret-0123456789';
  const redact = (text: string): string => text.replaceAll(secret, '******');
  const excerpt = textOf(Buffer.from(`${'x'.repeat(190)}${secret} and more`), redact);
  expect(excerpt).toBe(`${'x'.repeat(190)}****** and`);
});

test('the text does not end with an unpaired surrogate', () => {
  expect(textOf(Buffer.from(`x${'\u{1f69a}'.repeat(200)}`), plain)).toBe(`x${'\u{1f69a}'.repeat(99)}`);
});

test('a large body is decoded only in part', () => {
  let seen = 0;
  textOf(Buffer.alloc(10_000_000, 'x'), (text) => {
    seen = text.length;
    return text;
  });
  expect(seen).toBeLessThan(100_000);
});

function mask(text: string): string {
  return text.replaceAll('canary', '******');
}

test('the request IDs of servers and gateways follow the text, without secrets', () => {
  const headers = {
    'x-request-id': 'canary-1',
    'cf-ray': 'r'.repeat(500),
    'set-cookie': ['x-request-id=no'],
    'x-other': 'no',
  };
  const ids = `x-request-id ******-1, cf-ray ${'r'.repeat(100)}`;
  expect(serverSays(excerptOf({ headers, body: Buffer.from('busy') }, mask))).toBe(
    ` The server says: busy (${ids})`,
  );
  expect(serverSays(excerptOf({ headers, body: Buffer.alloc(0) }, mask))).toBe(` (${ids})`);
  expect(serverSays(excerptOf({ headers: {}, body: Buffer.alloc(0) }, mask))).toBe('');
});

test.each([
  ['{"error":"no"}', false],
  ['"no"', false],
  ['<html>no</html>', true],
  ['', false],
  ['\n[{"error":"line\nend"', false],
  ['Access denied', true],
])('the JSON of an API is distinguished from the text of a gateway: %j', (body, isNotJson) => {
  expect(excerptOf({ headers: {}, body: Buffer.from(body) }, plain).isNotJson).toBe(isNotJson);
});

test.each([
  ['https://me:canary@auth.example/token/?key=canary#canary', 'https://auth.example/token/'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
])('only the origin and path of a URL are shown', (address, shown) => {
  expect(displayUrl(new URL(address))).toBe(shown);
});

test('no character moves the cursor or hides what follows', () => {
  const hostile = 'a\u001B[2Jb\r\nc\u0085d\u2028e\u202Ef\u0000\u007F\u009Bg';
  expect(printable(hostile)).toBe('a [2Jb c d e f g');
});
