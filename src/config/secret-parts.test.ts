import { expect, test } from 'vitest';
import { secretParts, secretsInQuery } from './secret-parts.ts';

test.each<[query: string, secrets: string[]]>([
  ['', []],
  ['?', []],
  ['?grant_type=client_credentials&audience=API&scope=read', []],
  ['?audience=https://api2.fleet.example/v1&api-version=2020-06-01-preview', []],
  ['?response_type=token&token_type=bearer&tenant=fleet-2026', []],
  ['?api_key=hunter', ['hunter']],
  ['?subscription-key=a%26b&audience=API', ['a%26b']],
  ['?code=abcd==&sig=efgh', ['abcd==', 'efgh']],
  ['?clientSecret=abcd&accessToken=efgh&PASSWORD=ijkl', ['abcd', 'efgh', 'ijkl']],
  ['?k=0f3a9c5b7d1e2f4a', ['0f3a9c5b7d1e2f4a']],
  ['?0f3a9c5b7d1e2f4a', ['0f3a9c5b7d1e2f4a']],
  ['?k=sk-live-4eC39HqLyjWDarjtT1zd', ['sk-live-4eC39HqLyjWDarjtT1zd']],
  ['?k=550e8400-e29b-41d4-a716-446655440000', ['550e8400-e29b-41d4-a716-446655440000']],
])('of the query %j, %j is secret', (query, secrets) => {
  expect(secretsInQuery(new URL(`https://auth.example/token${query}`))).toStrictEqual(secrets);
});

test.each<[secret: string, parts: string[]]>([
  ['s3cr3t-VALUE', ['s3cr3t-VALUE']],
  ['CLIENT_SECRET=s3cr3t', ['s3cr3t']],
  ['export CLIENT_SECRET = "s3 cr3t" ', ['s3 cr3t']],
  ['client_secret: s3cr3t', ['s3cr3t']],
  ['CLIENT_ID=me\r\nCLIENT_SECRET=s3cr3t\r\n', ['s3cr3t']],
  ['{"client_id":"me","client_secret":"s3cr3t"}', ['s3cr3t']],
  ['{"web":{"client_secret":"s3cr3t","url":"https://a"}}', ['s3cr3t']],
  ['["s3cr3t"]', ['["s3cr3t"]']],
  // nothing in it is named like a secret, or long enough to be one
  ['abc=s3cr3t', ['abc=s3cr3t']],
  ['key=abc', ['key=abc']],
  ['c2VjcmV0a2V5==', ['c2VjcmV0a2V5==']],
  ['my-key:s3cr3t', ['my-key:s3cr3t']],
])('of the secret %j, %j is masked', (secret, parts) => {
  expect(secretParts(secret)).toStrictEqual(parts);
});
