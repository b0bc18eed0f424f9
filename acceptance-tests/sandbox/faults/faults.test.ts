import { expect, it } from 'vitest';
import type { FaultName, FaultPlans, Scenario } from '../client.ts';
import { each, endpointNames, type ListName } from '../lists.ts';
import { useSandbox } from '../test-calls.ts';

const { open } = useSandbox();

/** The status of a request, or the code of its error. */
const outcome = ({ assets }: Scenario['config']): Promise<unknown> =>
  fetch(`${assets.base_url}/v1/assets`).then(
    ({ status }) => status,
    ({ cause }: Error) => (cause as NodeJS.ErrnoException).code,
  );

async function statusesOf(list: ListName, queries: readonly string[], plans: FaultPlans) {
  const { scenario, reply } = await open({});
  const { hits: before } = await scenario.faults(plans);
  expect(before).toEqual(each(endpointNames, () => 0));
  const statuses: number[] = [];
  for (const query of queries) statuses.push((await reply(list, query)).status);
  return { statuses, hits: (await scenario.faultReport()).hits[list] };
}

it('a fault occurs as often and where it was configured, and is counted', async () => {
  const queries = [50, 0, 0, 0].map((offset) => `limit=20&offset=${offset}`);
  const plan = { fault: 'status503', at: 'first', times: 2 } as const;
  const { statuses, hits } = await statusesOf('assets', queries, { assets: plan });
  expect([statuses, hits]).toEqual([[200, 503, 503, 200], 2]);
});

it('random faults affect at most two identical requests in a row', async () => {
  const plan = { fault: 'status500', at: 'random', times: null } as const;
  const { statuses, hits } = await statusesOf('alarms', Array<string>(60).fill(''), { alarms: plan });
  expect(statuses.join(' ')).not.toContain('500 500 500');
  expect(statuses.filter((status) => status === 500)).toHaveLength(hits);
  expect(hits).toBeGreaterThan(5);
});

it('connections are refused until the fault is removed, even if other faults change', async () => {
  const { scenario } = await open({});
  const refused: FaultPlans = { assets: { fault: 'connectionRefused', at: 'any', times: null } };
  const { config } = await scenario.faults(refused);
  const outcomes = [await outcome(config), await outcome(config)];
  await scenario.faults({ ...refused, alarms: { fault: 'status500', at: 'any', times: null } });
  outcomes.push(await outcome(config));
  await scenario.faults({});
  outcomes.push(await outcome(config));
  expect(outcomes).toEqual(['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED', 401]);
});

it('faults are logged as sent, reset connections with status 0, and do not affect other scenarios', async () => {
  const { scenario, get } = await open({});
  const meet = async (fault: FaultName): Promise<unknown[]> => {
    await scenario.faults({ assets: { fault, at: 'any', times: null } });
    const { status, text, headers } = await get('assets', '', {});
    return [status, text.slice(0, 6), headers.get('retry-after')];
  };
  expect(await meet('status429Seconds')).toEqual([429, '{"mess', '1']);
  expect(await meet('truncatedJson')).toEqual([401, '{"type', null]);
  await expect(meet('resetBeforeAnswer')).rejects.toThrow('fetch failed');
  expect((await scenario.requests()).last.map(({ status }) => status)).toEqual([429, 401, 0]);
  expect((await (await open({})).get('assets', '', {})).status).toBe(401);
  const impossible = scenario.faults({ alarms: { fault: 'offsetNotEchoed', at: 'any', times: null } });
  await expect(impossible).rejects.toThrow('offsetNotEchoed does not apply to alarms');
});
