import { expect, it } from 'vitest';
import type { FaultName, FaultPlans, Scenario } from '../client.ts';
import { each, endpointNames } from '../lists.ts';
import { callList, tokenFor, useSandbox } from '../test-calls.ts';

const { create } = useSandbox();

/** The status of a request, or the code of the error that it ends with. */
const outcome = ({ assets }: Scenario['config']): Promise<unknown> =>
  fetch(`${assets.base_url}/v1/assets`).then(
    ({ status }) => status,
    ({ cause }: Error) => (cause as NodeJS.ErrnoException).code,
  );

it('a fault happens as often as it was asked for, where it was asked for, and is counted', async () => {
  const scenario = await create({});
  const token = await tokenFor(scenario, {});
  const { hits } = await scenario.faults({ assets: { fault: 'status503', at: 'first', times: 2 } });
  expect(hits).toStrictEqual(each(endpointNames, () => 0));
  const statuses: number[] = [];
  for (const offset of [50, 0, 0, 0])
    statuses.push((await callList(scenario, 'assets', `limit=20&offset=${offset}`, token)).status);
  expect(statuses).toStrictEqual([200, 503, 503, 200]);
  expect((await scenario.faultReport()).hits.assets).toBe(2);
});

it('at random no request meets more than two faults in a row', async () => {
  const scenario = await create({});
  const token = await tokenFor(scenario, {});
  await scenario.faults({ alarms: { fault: 'status500', at: 'random', times: null } });
  const statuses: number[] = [];
  for (let count = 0; count < 60; count += 1)
    statuses.push((await callList(scenario, 'alarms', '', token)).status);
  expect(statuses.join(' ')).not.toContain('500 500 500');
  const { hits } = await scenario.faultReport();
  expect(statuses.filter((status) => status === 500)).toHaveLength(hits.alarms);
  expect(hits.alarms).toBeGreaterThan(5);
});

it('a connection is refused until the fault is lifted, also beside one that stays', async () => {
  const scenario = await create({});
  const refused: FaultPlans = { assets: { fault: 'connectionRefused', at: 'any', times: null } };
  const { config } = await scenario.faults(refused);
  const outcomes = [await outcome(config), await outcome(config)];
  await scenario.faults({ ...refused, alarms: { fault: 'status500', at: 'any', times: null } });
  outcomes.push(await outcome(config));
  await scenario.faults({});
  outcomes.push(await outcome(config));
  expect(outcomes).toStrictEqual(['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED', 401]);
});

it('a fault that an endpoint cannot have is refused', async () => {
  const scenario = await create({});
  const plan = { fault: 'offsetNotEchoed', at: 'any', times: null } as const;
  await expect(scenario.faults({ alarms: plan })).rejects.toThrow('offsetNotEchoed cannot happen at alarms');
});

it('what a fault sends is logged as it was sent, a cut connection as status 0; other scenarios have none of it', async () => {
  const scenario = await create({});
  const meet = async (fault: FaultName): Promise<unknown[]> => {
    await scenario.faults({ assets: { fault, at: 'any', times: null } });
    const { status, text, headers } = await callList(scenario, 'assets', '');
    return [status, text.slice(0, 6), headers.get('retry-after')];
  };
  expect(await meet('status429Seconds')).toStrictEqual([429, '{"mess', '1']);
  expect(await meet('truncatedJson')).toStrictEqual([401, '{"type', null]);
  await expect(meet('resetBeforeAnswer')).rejects.toThrow('fetch failed');
  const { last } = await scenario.requests();
  expect(last.map(({ status }) => status)).toStrictEqual([429, 401, 0]);
  expect((await callList(await create({}), 'assets', '')).status).toBe(401);
});
