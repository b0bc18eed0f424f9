import { expect, test } from 'vitest';
import { quotesHint, valueHint } from './value-hint.ts';

test.each([
  '${A}',
  '$(A)',
  '$A',
  '{{ a }}',
  '<a>',
  '[a]',
  '["a"]',
  '%A%',
  '@A@',
  'null',
  'undefined',
  'None',
  'changeme',
  'CHANGE_ME',
  'replace-me',
  'TODO',
  'xxxxxxxx',
  'YOUR_CLIENT_SECRET',
  'your secret',
  'CLIENT_SECRET',
  'clientSecret',
  '**********',
  '…',
  '---',
  'https://{host}/x',
  'HTTPS://{host}/x',
])('%s may be a placeholder', (value) => {
  expect(valueHint(value)).toBe('looks like a placeholder: was its value not filled in?');
});

test.each([
  'secret_coordinate::airbyte_workspace_1_secret_2_v1',
  'arn:aws:secretsmanager:eu-west-1:1:secret:fleet',
  'arn:aws-us-gov:ssm:us-gov-west-1:1:parameter/fleet',
  'vault:secret/data/fleet#client_secret',
  'vault://secret/fleet',
  'op://fleet/api/secret',
  'ref+awssecrets://fleet/secret',
  'projects/1/secrets/fleet/versions/latest',
  '/run/secrets/client_secret',
  'env:CLIENT_SECRET',
  'file:/etc/secret',
  '@Microsoft.KeyVault(SecretUri=https://fleet.vault.example/secrets/a)',
  'ENC[AES256_GCM,data:a,iv:b]',
  '{cipher}0a1b2c',
  '!vault |',
])('%s is a reference', (value) => {
  expect(valueHint(value)).toBe(
    'looks like a reference to a secret that is kept elsewhere: was it not replaced by the secret?',
  );
});

test.each<[text: string, types: readonly string[], hint: string | null]>([
  ['4', ['integer'], 'is in quotes: remove them'],
  ['-2.5', ['null', 'number'], 'is in quotes: remove them'],
  ['True', ['boolean'], 'is in quotes: remove them'],
  ['["a"]', ['array'], 'is in quotes: remove them'],
  ['{"a":1}', ['object'], 'is in quotes: remove them'],
  ['4.5', ['integer'], null],
  ['four', ['integer', 'number', 'boolean'], null],
  ['4', ['boolean'], null],
  ['4', [], null],
])('%s where %j is expected', (text, types, hint) => {
  expect(quotesHint(text, types)).toBe(hint);
});

test.each([' me', 'me\n', '"me"', '\u201cme\u201d', '`me', 'me\u00a0'])('%j is wrapped', (value) => {
  expect(valueHint(value)).toBe('begins or ends with white space or a quote: is that intended?');
});

test.each(['me\u200b', '\ufeffme', 'm\u00ade', 'a\u00a0b', 'a\u0007b'])(
  '%j has an unseen character',
  (value) => {
    expect(valueHint(value)).toMatch(
      /^(has a character that cannot be seen|begins or ends with white space)/,
    );
  },
);

test.each([
  'me',
  'my-client',
  'nullify-1',
  'api://0b8a3c1e',
  'urn:fleet:client',
  'arn:aws:iam::1:role/fleet',
  'secretive',
  'yours',
  'pa$$word',
  'a{b}c',
  'x y',
  'p@ss!',
  'f\u00fcr',
  'https://h.example/a(1)?b=c',
  'c2VjcmV0cw==',
  'a1=b',
  'a:b',
  '123',
  '',
])('%j is ordinary', (value) => {
  expect(valueHint(value)).toBeNull();
});

test.each([
  'CLIENT_SECRET=s3cr3t',
  'export client_secret = "s3cr3t"',
  'client_secret: s3cr3t',
  '# of the fleet\nCLIENT_ID=me\nCLIENT_SECRET=s3cr3t',
  '{"client_secret":"s3cr3t"}',
  '[{\n  "a": "b"\n}]',
])('%j has a name beside its value', (value) => {
  expect(valueHint(value)).toBe('has a name in it, like a file of settings: was only the value meant?');
});
