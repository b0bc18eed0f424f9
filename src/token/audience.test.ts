import { expect, test } from 'vitest';

import { describeScope, tokenScope } from './audience.ts';

test('each kind of token asks for its audience and scopes (API document 5.4)', () => {
  expect(tokenScope({ kind: 'general' }, 'AMAPI')).toStrictEqual({ audience: 'API', scopes: null });
  expect(tokenScope({ kind: 'general' }, 'X')).toStrictEqual({ audience: 'API', scopes: null });
  const scopes = ['AMAPI', 'UMAPI'];
  expect(tokenScope({ kind: 'scoped', scopes }, 'X')).toStrictEqual({ audience: 'API', scopes });
  expect(tokenScope({ kind: 'module' }, 'AMAPI')).toStrictEqual({ audience: 'AMAPI', scopes: null });
  expect(tokenScope({ kind: 'module' }, 'X')).toStrictEqual({ audience: 'X', scopes: null });
});

test('a scope in words', () => {
  expect(describeScope({ audience: 'AMAPI', scopes: null })).toBe('AMAPI');
  expect(describeScope({ audience: 'API', scopes: ['AMAPI', 'UMAPI'] })).toBe('API limited to AMAPI, UMAPI');
});
