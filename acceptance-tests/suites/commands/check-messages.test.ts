// What check tells a person, case by case, kept as a list that can be read from top to bottom. After a change on
// purpose: npx vitest run --project acceptance acceptance-tests/suites/commands/check-messages --update
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { FaultName, FaultPlans, OptionsPatch } from '../../sandbox/client.ts';
import { fastTime } from '../../support/fast-time.ts';
import { verdict } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();
const atOnce = 4;

interface Case {
  readonly title: string;
  readonly options?: OptionsPatch;
  /** What each endpoint does instead of answering. */
  readonly faults?: Readonly<Record<string, FaultName>>;
  /** Changes of a config that is right. */
  readonly config?: (config: TestWorld['config']) => unknown;
}

const withAlarms =
  (change: object): NonNullable<Case['config']> =>
  (config) => ({ ...config, alarms: { ...config.alarms, ...change } });
const byModule = { token: { kind: 'module' } };
const without: OptionsPatch = { permissions: { assets: false, alarms: false } };

const cases: Case[] = [
  { title: 'all is well' },
  { title: 'config: a secret is missing', config: ({ client_secret: _gone, ...rest }) => rest },
  { title: 'config: not JSON', config: () => '{"auth_url": ' },
  { title: 'a wrong secret', config: (config) => ({ ...config, client_secret: 'not-the-one' }) },
  {
    title: 'an audience that does not exist',
    config: ({ assets, ...rest }) => ({ ...rest, ...byModule, assets: { ...assets, audience: 'XXAPI' } }),
  },
  { title: 'alarms: product not bought', options: { products: { UMAPI: false } } },
  {
    title: 'scopes that leave out alarms',
    config: (config) => ({ ...config, token: { kind: 'scoped', scopes: ['AMAPI'] } }),
  },
  { title: 'neither may be read', options: without },
  { title: 'alarms alone', config: ({ assets: _left, ...rest }) => rest },
  { title: 'alarms: no created times in any field', options: { alarmsCreatedMissingEvery: 1 } },
  { title: 'alarms: a created_field without times', config: withAlarms({ created_field: 'created' }) },
  { title: 'alarms: an id_field that is no key', config: withAlarms({ id_field: 'assetId' }) },
  { title: 'alarms: an id_field that is not there', config: withAlarms({ id_field: 'number' }) },
  // the words for all other faults are told beside the source, and in the matrix of faults
  ...(['status404', 'status429Bare', 'status500', 'connectionRefused', 'html'] as const).map(
    (token): Case => ({ title: `token endpoint: ${token}`, faults: { token } }),
  ),
  { title: 'assets: status401', faults: { assets: 'status401' } },
  ...(
    [
      ['status400', 'status410'],
      ['status404', 'status403'],
      ['status429Seconds', 'status500'],
      ['redirect302', 'noContent204'],
      ['connectionRefused', 'resetBeforeAnswer'],
      ['html', 'truncatedJson'],
    ] as const
  ).map(([assets, alarms]): Case => ({
    title: `assets: ${assets}, alarms: ${alarms}`,
    faults: { assets, alarms },
  })),
];

async function answerTo({ options = {}, faults = {}, config = (one) => one }: Case): Promise<string> {
  const world = await bed.world({ assets: 30, alarms: 30, options });
  const plans = Object.entries(faults).map(([endpoint, fault]) => [
    endpoint,
    { fault, at: 'any', times: null },
  ]);
  const faulty = await world.faults(Object.fromEntries(plans) as FaultPlans);
  const right = plans.length === 0 ? world.config : faulty.config;
  const run = await world.run('check', { config: config(right) as object, env: fastTime(20) });
  expect(run.code).toBe(0);
  const bodies = (await world.tokenRequests()).map(({ body }) => body);
  if (faults['token'] === undefined)
    expect(bodies, 'no token is asked for twice').toHaveLength(new Set(bodies).size);
  const { status, lines } = verdict(run);
  return [status, ...lines.map((line) => `  ${stable(line)}`)].join('\n');
}

/** Without what differs from run to run. */
function stable(line: string): string {
  return line
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/HOST\/w\/\w+/g, 'HOST')
    .replaceAll(/eW91Om[\w+/=*]*/g, 'BASE64')
    .replaceAll(/config \S*config\.json/g, 'config FILE')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/and \d+ s of waiting/g, 'and N s of waiting')
    .replaceAll(/wait \d+ s more/g, 'wait N s more')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID');
}

test('every answer of check says what happened, where, and what to do next', async () => {
  const answers: string[] = [];
  const queue = cases.entries();
  const worker = async (): Promise<void> => {
    for (const [index, one] of queue) answers[index] = `${one.title}\n${await answerTo(one)}\n`;
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await expect(answers.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'check-messages.txt'));
});

test('of each list one row is asked for', async () => {
  const world = await bed.world({ assets: 1234, alarms: 10 });
  // whether id_field is a key one row cannot show
  const { id_field: _left, ...alarms } = world.config.alarms;
  const run = await world.run('check', { config: { ...world.config, alarms } });
  expect(verdict(run)).toStrictEqual({
    status: 'SUCCEEDED',
    lines: ['assets: ok (1,234 rows)', 'alarms: ok'],
  });
  const { endpoints, last } = await world.requests();
  expect([endpoints.token.count, endpoints.assets.count, endpoints.alarms.count]).toStrictEqual([1, 1, 1]);
  const lists = last.filter(({ endpoint }) => endpoint !== 'token');
  expect(lists.map(({ query, rows }) => [query['limit'], rows])).toStrictEqual([
    ['1', 1],
    ['1', 1],
  ]);
});
