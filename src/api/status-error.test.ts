import { expect, test } from 'vitest';

import { StatusError, describeStatus } from './status-error.ts';

const ASKED = {
  stream: 'assets',
  url: new URL('https://api.example/v1/assets'),
  baseUrl: 'https://api.example',
  query: 'limit=1',
};

test.each([
  [true, 'API limited to UMAPI', ' The token is for API limited to UMAPI: token.scopes must name the module'],
  [false, 'AMAPI', ''],
])('a refused access speaks of scopes only where the config lists them (%s)', (isScoped, audience, hint) => {
  const { message } = describeStatus(new StatusError(403, {}, ''), { ...ASKED, audience, isScoped });
  const [, said = ''] = /must have bought the product\.(.*?)( of assets too\.)?$/.exec(message) ?? [];
  expect(said).toBe(hint);
});
