import { describe, expect, it } from 'vitest';
import type { OptionsPatch, Scenario } from '../client.ts';
import { askToken, callList, tokenFor, useSandbox } from '../test-calls.ts';

const { create } = useSandbox();

function scenario(options: OptionsPatch): Promise<Scenario> {
  return create({ assets: 3, alarms: 3, options });
}

async function statuses(made: Scenario, token: string | undefined): Promise<number[]> {
  const replies = [await callList(made, 'assets', {}, token), await callList(made, 'alarms', {}, token)];
  return replies.map(({ status }) => status);
}

function claims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}

describe('three variants of tokens', () => {
  it.each([
    ['a module', { audience: 'AMAPI' }, [200, 403], 3600],
    ['the other module', { audience: 'UMAPI' }, [403, 200], 3600],
    ['all modules', { audience: 'API' }, [200, 200], 86_400],
    ['scopes', { audience: 'API', scopes: ['UMAPI'] }, [403, 200], 86_400],
    ['all scopes', { audience: 'API', scopes: ['UMAPI', 'AMAPI'] }, [200, 200], 86_400],
  ])('a token for %s opens that, until its end', async (_name, body, expected, seconds) => {
    const made = await scenario({});
    const reply = await askToken(made, body);
    expect(reply.json).toMatchObject({ expiresIn: seconds, tokenType: 'Bearer' });
    const { accessToken } = reply.json as { accessToken: string };
    expect(await statuses(made, accessToken)).toEqual(expected);
    const { exp, iat } = claims(accessToken);
    expect(Number(exp) - Number(iat)).toBe(seconds);
    await made.advanceClock(seconds - 30);
    expect(await statuses(made, accessToken)).toEqual(expected);
    await made.advanceClock(31);
    expect(await statuses(made, accessToken)).toEqual([401, 401]);
  });

  it.each([
    ['module tokens', { audience: 'AMAPI' }, 3, 3600],
    ['general tokens', { audience: 'API' }, 15, 86_400],
    ['scoped tokens', { audience: 'API', scopes: ['AMAPI'] }, 15, 86_400],
  ])('%s are issued so many times in a rolling window', async (_name, body, limit, window) => {
    const made = await scenario({});
    for (let asked = 0; asked < limit; asked += 1) {
      expect((await askToken(made, body)).status).toBe(200);
      await made.advanceClock(60);
    }
    expect((await askToken(made, body)).status).toBe(429);
    await made.advanceClock(window - 60 * limit + 1);
    expect((await askToken(made, body)).status).toBe(200);
    expect((await askToken(made, body)).status).toBe(429);
    const { tokens } = await made.requests();
    expect(tokens).toEqual({ issued: limit + 1, refused: 2, byAudience: { [body.audience]: limit + 1 } });
  });

  it('general and scoped tokens share one limit, audiences do not', async () => {
    const made = await scenario({});
    for (let asked = 0; asked < 15; asked += 1)
      await tokenFor(made, asked % 2 === 0 ? {} : { scopes: ['AMAPI'] });
    expect((await askToken(made, {})).status).toBe(429);
    for (const audience of ['AMAPI', 'UMAPI', 'AMAPI', 'UMAPI', 'AMAPI', 'UMAPI'])
      expect((await askToken(made, { audience })).status).toBe(200);
    expect((await askToken(made, { audience: 'UMAPI' })).status).toBe(429);
  });

  it.each([
    ['no JSON object', { clientId: undefined, clientSecret: undefined, audience: undefined }, 400],
    ['no secret', { clientSecret: undefined }, 400],
    ['a number for an audience', { audience: 5 }, 400],
    ['an unknown audience', { audience: 'XYAPI' }, 400],
    ['an unknown scope', { scopes: ['XYAPI'] }, 400],
    ['scopes that are no list', { scopes: 'AMAPI' }, 400],
    ['no scope at all', { scopes: [] }, 400],
    ['scopes beside a module', { audience: 'AMAPI', scopes: ['AMAPI'] }, 400],
    ['a wrong id', { clientId: 'somebody' }, 401],
    ['a wrong secret', { clientSecret: 'something' }, 401],
  ])('%s is refused', async (_name, body, status) => {
    const reply = await askToken(await scenario({}), body);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ message: expect.any(String), errors: [] });
  });

  it('a body that is no JSON is refused, whatever it is labelled as', async () => {
    const made = await scenario({});
    const send = (body: string, type: string): Promise<Response> =>
      fetch(made.config.auth_url, { method: 'POST', body, headers: { 'content-type': type } });
    expect((await send('clientId=x', 'application/x-www-form-urlencoded')).status).toBe(400);
    expect((await send('{', 'application/json')).status).toBe(400);
  });
});

describe('access to the lists', () => {
  it('needs a token of this world, as Bearer', async () => {
    const [made, other] = [await scenario({}), await scenario({})];
    const token = await tokenFor(made, {});
    expect(await statuses(made, undefined)).toEqual([401, 401]);
    expect(await statuses(made, 'nonsense')).toEqual([401, 401]);
    expect(await statuses(other, token)).toEqual([401, 401]);
    const answer = await fetch(`${made.config.assets.base_url}/v1/assets`, {
      headers: { authorization: `Basic ${token}` },
    });
    expect(answer.status).toBe(401);
    expect(await statuses(made, token)).toEqual([200, 200]);
  });

  it('needs the permission and the product', async () => {
    const made = await scenario({ permissions: { assets: false } });
    const token = await tokenFor(made, {});
    expect(await statuses(made, token)).toEqual([403, 200]);
    await made.setOptions({ permissions: { assets: true }, products: { UMAPI: false } });
    expect(await statuses(made, token)).toEqual([200, 403]);
  });

  it('needs an Accept header that fits, unless the knob says otherwise', async () => {
    const made = await scenario({});
    const authorization = `Bearer ${await tokenFor(made, {})}`;
    const ask = async (accept: string): Promise<number> =>
      (await fetch(`${made.config.assets.base_url}/v1/assets`, { headers: { authorization, accept } }))
        .status;
    expect([await ask('text/html'), await ask('text/html, application/json;q=0.9')]).toEqual([406, 200]);
    await made.setOptions({ acceptHeader: 'ignored' });
    expect(await ask('text/html')).toBe(200);
  });
});

describe('knobs of the token endpoint', () => {
  it.each([
    [{ expiresInUnit: 'minutes' }, { expiresIn: 1440 }],
    [{ expiresInUnit: 'hours' }, { expiresIn: 24 }],
    [{ expiresInUnit: 'milliseconds' }, { expiresIn: 86_400_000 }],
    [{ expiresInField: 'expires_in' }, { expires_in: 86_400 }],
    [{ expiresInField: 'expriesIn' }, { expriesIn: 86_400 }],
    [{ expiresInUnit: 'absent' }, {}],
    [{ tokenType: 'jwt-ish' }, { expiresIn: 86_400, tokenType: 'jwt-ish' }],
  ] satisfies [OptionsPatch, object][])('%j', async (options, expected) => {
    const { accessToken, ...rest } = (await askToken(await scenario(options), {})).json as Record<
      string,
      unknown
    >;
    expect(accessToken).toEqual(expect.any(String));
    expect(rest).toEqual({ tokenType: 'Bearer', ...expected });
  });

  it('tokenFormat, tokenSuccessStatus, tokenLimits', async () => {
    const made = await scenario({ tokenFormat: 'opaque', tokenSuccessStatus: 201, tokenLimits: false });
    for (let asked = 0; asked < 5; asked += 1) {
      const reply = await askToken(made, { audience: 'AMAPI' });
      expect(reply.status).toBe(201);
      const { accessToken } = reply.json as { accessToken: string };
      expect(accessToken).not.toContain('.');
      expect(await statuses(made, accessToken)).toEqual([200, 403]);
    }
  });

  it('audiences', async () => {
    const made = await scenario({ audiences: { alarms: 'TRAPI' } });
    expect(made.config.alarms.audience).toBe('TRAPI');
    expect(await statuses(made, await tokenFor(made, { audience: 'TRAPI' }))).toEqual([403, 200]);
    expect((await askToken(made, { audience: 'UMAPI' })).status).toBe(400);
  });

  it('retryAfter and errorStatus of an exceeded limit', async () => {
    const made = await scenario({ retryAfter: 'seconds', errorStatus: { overTokenLimit: 503 } });
    for (let asked = 0; asked < 3; asked += 1) await tokenFor(made, { audience: 'AMAPI' });
    await made.advanceClock(600);
    const refused = await askToken(made, { audience: 'AMAPI' });
    expect(refused.status).toBe(503);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(2900);
    expect(wait).toBeLessThanOrEqual(3000);
    await made.setOptions({ retryAfter: 'date' });
    const dated = await askToken(made, { audience: 'AMAPI' });
    const [until, date] = ['retry-after', 'date'].map((name) => Date.parse(dated.headers.get(name) ?? ''));
    expect(Math.abs((until ?? 0) - (date ?? 0) - 3_000_000)).toBeLessThan(60_000);
  });
});
