import { expect, it } from 'vitest';
import { useSandbox, type callerOf } from '../test-calls.ts';

const { open } = useSandbox();
type Caller = ReturnType<typeof callerOf>;

const statuses = ({ get }: Caller, headers: Record<string, string>): Promise<number[]> =>
  Promise.all((['assets', 'alarms'] as const).map(async (list) => (await get(list, '', headers)).status));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it.each([
  ['a module', { audience: 'AMAPI' }, [200, 403], 3600],
  ['the other module', { audience: 'UMAPI' }, [403, 200], 3600],
  ['all modules', { audience: 'API' }, [200, 200], 86_400],
  ['scopes', { audience: 'API', scopes: ['UMAPI'] }, [403, 200], 86_400],
  ['all scopes', { audience: 'API', scopes: ['UMAPI', 'AMAPI'] }, [200, 200], 86_400],
])('a token for %s is valid for that until the exp claim', async (_name, body, expected, seconds) => {
  const caller = await open({});
  const token = await caller.tokenFor(body);
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const { exp, iat } = JSON.parse(claims) as { exp: number; iat: number };
  expect(exp - iat).toBe(seconds);
  expect((await caller.scenario.requests()).tokens.values).toEqual([token]);
  expect(await statuses(caller, bearer(token))).toEqual(expected);
  await caller.scenario.advanceClock(seconds - 30);
  expect(await statuses(caller, bearer(token))).toEqual(expected);
  await caller.scenario.advanceClock(31);
  expect(await statuses(caller, bearer(token))).toEqual([401, 401]);
});

it.each([
  ['module tokens', { audience: 'AMAPI' }, 3, 3600],
  ['general tokens', { audience: 'API' }, 15, 86_400],
  ['scoped tokens', { audience: 'API', scopes: ['AMAPI'] }, 15, 86_400],
])('%s are limited in a rolling window', async (_name, body, limit, window) => {
  const options = { retryAfter: 'seconds', errorStatus: { overTokenLimit: 503 } } as const;
  const { scenario, ask } = await open({ options });
  for (let count = 0; count < limit; count += 1) {
    expect((await ask(body)).status).toBe(200);
    await scenario.advanceClock(60);
  }
  const { status, headers } = await ask(body);
  expect(status).toBe(503);
  const early = window - 60 * limit - Number(headers.get('retry-after'));
  expect(early >= 0 && early < 30).toBe(true);
  // general and scoped tokens share a limit, each module has its own
  expect((await ask({ audience: body.audience })).status).toBe(503);
  expect((await ask({ audience: 'UMAPI' })).status).toBe(200);
  await scenario.advanceClock(window - 60 * limit + 1);
  expect((await ask(body)).status).toBe(200);
  expect((await ask(body)).status).toBe(503);
  expect((await scenario.requests()).tokens).toMatchObject({ issued: limit + 2, refused: 3 });
  await scenario.setOptions({ tokenLimits: false });
  expect((await ask(body)).status).toBe(200);
});

it('a list requires a Bearer token of its world and a suitable Accept header', async () => {
  const [caller, other] = [await open({ options: { errorStatus: { badToken: 418 } } }), await open({})];
  const token = await caller.tokenFor({});
  expect(await statuses(caller, {})).toEqual([418, 418]);
  expect(await statuses(other, bearer('nonsense'))).toEqual([401, 401]);
  expect(await statuses(other, bearer(token))).toEqual([401, 401]);
  expect(await statuses(caller, { authorization: `Basic ${token}` })).toEqual([418, 418]);
  expect(await statuses(caller, { ...bearer(token), accept: 'text/html' })).toEqual([406, 406]);
  const either = 'text/html, application/json;q=0.9';
  expect(await statuses(caller, { ...bearer(token), accept: either })).toEqual([200, 200]);
});
