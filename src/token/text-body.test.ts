import { expect, test } from 'vitest';
import { describeText, refusalInText } from './text-body.ts';

const describe = (text: string) =>
  describeText(Buffer.from(text), (said) => said.replaceAll('canary', '******'));
const refusal = (text: string) =>
  refusalInText(Buffer.from(text), (said) => said.replaceAll('canary', '******'));

const JWT = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.c-_`;

test.each([
  ['', 'empty'],
  [' \r\n', 'empty'],
  ['{"accessToken":"canary-0123456', 'cut: its JSON ends after 30 bytes'],
  ['\ufeff[{"accessToken":', 'cut: its JSON ends after 19 bytes'],
  ['{"state":"é" down}', 'a text that is not valid JSON at byte 14 (expected a comma or })'],
  [
    '<!DOCTYPE html><title>Sign in</title><h1>Welcome back</h1>',
    'a web page that says "Sign in: Welcome back"',
  ],
  ['<html><h1>canary</h1><p>…</p>', 'a web page that says "******"'],
  ['<html><p>Please sign in</p>', 'a web page that says "Please sign in"'],
  ['<html><script src="/a.js"></script></html>', 'a web page'],
  ['OK', 'a text that says "OK"'],
  ['Your key is 0123456789abcdef', 'a text that says "Your key is …"'],
  ['a1b2c3d4', 'a text that says "…"'],
  ['unauthorized until 10:00:00', 'a text that says "unauthorized until 10:00:00"'],
  ['<Result><Status>ok</Status></Result>', 'a text that says "ok"'],
  [
    '<html><script>var config = {accessToken: "0123456789"}</script><title>App</title>',
    'a web page that says "App"',
  ],
])('a body without a token is described: %j', (text, words) => {
  expect(describe(text)).toStrictEqual({ words, holdsToken: false });
});

test.each([
  [JWT, 'a text with a JWT'],
  [`Bearer ${JWT}`, 'a text with a JWT'],
  ['0123456789abcdef', 'a single word'],
  ['"0123456789-abcdef"', 'a single word'],
  ['access_token=0123456789&expires_in=86400', 'a text with "access_token"'],
  ['expires_in=5&token=0123456789', 'a text with "token"'],
  ['<?xml version="1.0"?><r><accessToken>0123456789</accessToken></r>', 'a text with "accessToken"'],
  [`<html><pre>{&quot;accessToken&quot;: &quot;0123456789&quot;}</pre>`, 'a text with "accessToken"'],
  ['access_token: 0123456789\nexpires_in: 5', 'a text with "access_token"'],
  [`{'access_token': '0123456789'}`, 'a text with "access_token"'],
  [`)]}',\n{"accessToken":"0123456789"}`, 'a text with "accessToken"'],
  ['Warning: x in y.php\n{"accessToken":"0123456789"}', 'a text with "accessToken"'],
])('a text that may hold a token is told by its form, without the token: %j', (text, words) => {
  expect(describe(text)).toStrictEqual({ words, holdsToken: true });
  expect(refusal(text)).toBe(null);
});

test.each([
  [
    '<html><title>Scheduled maintenance</title><h1>We are back at 10:00 UTC</h1>',
    'Scheduled maintenance: We are back at 10:00 UTC',
  ],
  [
    '<!doctype html><title>503 Service Temporarily Unavailable</title>',
    '503 Service Temporarily Unavailable',
  ],
  ['Too many requests', 'Too many requests'],
  [`<s:Fault xmlns:s="x"><faultstring>Invalid client</faultstring></s:Fault>`, 'Invalid client'],
])('a text that rejects the request in place of a token issues none: %j', (text, said) => {
  expect(refusal(text)).toBe(said);
});

test.each([
  '',
  '{"message":"maintenance',
  '<html><title>Sign in</title>',
  'OK',
  `The service is in maintenance. access_token=0123456789`,
  // an article about limits
  '<html><title>API</title><p>Our rate limit is 5.</p>',
])('any other text may hide a token: %j', (text) => {
  expect(refusal(text)).toBe(null);
});

test('a long text takes no time', () => {
  const startedMs = performance.now();
  for (const part of ['eyJ-', 'access_token ', '<title ', '<', 'ab1', 'try ']) describe(part.repeat(60_000));
  expect(performance.now() - startedMs).toBeLessThan(1000);
});
