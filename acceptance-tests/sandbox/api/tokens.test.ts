import { describe, expect, it } from 'vitest';
import type { OptionsPatch, Scenario } from '../client.ts';
import { listNames } from '../lists.ts';
import { askToken, callList, tokenFor, useSandbox } from '../test-calls.ts';

const { create } = useSandbox();
const setUp = (options: OptionsPatch): Promise<Scenario> => create({ assets: 3, alarms: 3, options });

/** What assets and alarms answer. */
const statuses = (scenario: Scenario, token?: string): Promise<number[]> =>
  Promise.all(listNames.map(async (list) => (await callList(scenario, list, '', token)).status));

describe('three variants of tokens', () => {
  it.each([
    ['a module', { audience: 'AMAPI' }, [200, 403], 3600],
    ['the other module', { audience: 'UMAPI' }, [403, 200], 3600],
    ['all modules', { audience: 'API' }, [200, 200], 86_400],
    ['scopes', { audience: 'API', scopes: ['UMAPI'] }, [403, 200], 86_400],
    ['all scopes', { audience: 'API', scopes: ['UMAPI', 'AMAPI'] }, [200, 200], 86_400],
  ])('a token for %s opens that, until its end', async (_name, body, expected, seconds) => {
    const scenario = await setUp({});
    const { json } = await askToken(scenario, body);
    expect(json).toMatchObject({ expiresIn: seconds, tokenType: 'Bearer' });
    const { accessToken } = json as { accessToken: string };
    const claims = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString();
    const { exp, iat } = JSON.parse(claims) as { exp: number; iat: number };
    expect(exp - iat).toBe(seconds);
    expect((await scenario.requests()).tokens.values).toEqual([accessToken]);
    expect(await statuses(scenario, accessToken)).toEqual(expected);
    await scenario.advanceClock(seconds - 30);
    expect(await statuses(scenario, accessToken)).toEqual(expected);
    await scenario.advanceClock(31);
    expect(await statuses(scenario, accessToken)).toEqual([401, 401]);
  });

  it.each([
    ['module tokens', { audience: 'AMAPI' }, 3, 3600],
    ['general tokens', { audience: 'API' }, 15, 86_400],
    ['scoped tokens', { audience: 'API', scopes: ['AMAPI'] }, 15, 86_400],
  ])('%s are issued so many times in a rolling window', async (_name, body, limit, window) => {
    const scenario = await setUp({ retryAfter: 'seconds', errorStatus: { overTokenLimit: 503 } });
    for (let asked = 0; asked < limit; asked += 1) {
      expect((await askToken(scenario, body)).status).toBe(200);
      await scenario.advanceClock(60);
    }
    const { status, headers } = await askToken(scenario, body);
    expect(status).toBe(503);
    const early = window - 60 * limit - Number(headers.get('retry-after'));
    expect(early >= 0 && early < 30).toBe(true);
    // general and scoped tokens share one limit, modules have each their own
    expect((await askToken(scenario, { audience: body.audience })).status).toBe(503);
    expect((await askToken(scenario, { audience: 'UMAPI' })).status).toBe(200);
    await scenario.advanceClock(window - 60 * limit + 1);
    expect((await askToken(scenario, body)).status).toBe(200);
    expect((await askToken(scenario, body)).status).toBe(503);
    expect((await scenario.requests()).tokens).toMatchObject({ issued: limit + 2, refused: 3 });
  });

  it.each([
    ['no secret', { clientSecret: undefined }, 400],
    ['a number for an audience', { audience: 5 }, 400],
    ['an unknown audience', { audience: 'XYAPI' }, 400],
    ['an unknown scope', { scopes: ['XYAPI'] }, 400],
    ['no scope at all', { scopes: [] }, 400],
    ['scopes beside a module', { audience: 'AMAPI', scopes: ['AMAPI'] }, 400],
    ['a wrong secret', { clientSecret: 'something' }, 401],
  ])('%s is refused', async (_name, body, status) => {
    const reply = await askToken(await setUp({}), body);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ message: expect.any(String), errors: [] });
  });

  it.each(['clientId=x', '{', 'null'])('the body %s is refused', async (body) => {
    const { config } = await setUp({});
    expect((await fetch(config.auth_url, { method: 'POST', body })).status).toBe(400);
  });
});

describe('access to the lists', () => {
  it('needs a token of this world, as Bearer, and an Accept header that fits', async () => {
    const [scenario, other] = [await setUp({}), await setUp({})];
    const token = await tokenFor(scenario, {});
    expect(await statuses(scenario)).toEqual([401, 401]);
    expect(await statuses(scenario, 'nonsense')).toEqual([401, 401]);
    expect(await statuses(other, token)).toEqual([401, 401]);
    expect(await statuses(scenario, token)).toEqual([200, 200]);
    const address = `${scenario.config.assets.base_url}/v1/assets`;
    const ask = async (authorization: string, accept: string): Promise<number> =>
      (await fetch(address, { headers: { authorization, accept } })).status;
    expect(await ask(`Basic ${token}`, '*/*')).toBe(401);
    expect(await ask(`Bearer ${token}`, 'text/html')).toBe(406);
    expect(await ask(`Bearer ${token}`, 'text/html, application/json;q=0.9')).toBe(200);
  });
});

describe('options of the token endpoint', () => {
  it.each<[OptionsPatch, object]>([
    [{ expiresInUnit: 'minutes' }, { expiresIn: 1440 }],
    [{ expiresInUnit: 'hours' }, { expiresIn: 24 }],
    [{ expiresInUnit: 'milliseconds' }, { expiresIn: 86_400_000 }],
    [{ expiresInField: 'expires_in' }, { expires_in: 86_400 }],
    [{ expiresInField: 'expriesIn' }, { expriesIn: 86_400 }],
    [{ expiresInUnit: 'absent' }, {}],
    [{ tokenType: 'jwt-ish' }, { expiresIn: 86_400, tokenType: 'jwt-ish' }],
  ])('%j', async (options, expected) => {
    const { json } = await askToken(await setUp(options), {});
    expect(json).toEqual({ tokenType: 'Bearer', accessToken: expect.any(String), ...expected });
  });

  it('tokenFormat, tokenSuccessStatus, tokenLimits, audiences', async () => {
    const options = { tokenFormat: 'opaque', tokenSuccessStatus: 201, tokenLimits: false } as const;
    const scenario = await setUp({ ...options, audiences: { alarms: 'TRAPI' } });
    expect(scenario.config.alarms.audience).toBe('TRAPI');
    for (let asked = 0; asked < 5; asked += 1) {
      const { status, json } = await askToken(scenario, { audience: 'TRAPI' });
      const { accessToken } = json as { accessToken: string };
      expect([status, accessToken.includes('.')]).toEqual([201, false]);
      expect(await statuses(scenario, accessToken)).toEqual([403, 200]);
    }
    expect((await askToken(scenario, { audience: 'UMAPI' })).status).toBe(400);
  });
});
