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
  /** A fault of the token endpoint, or of the list of assets. */
  readonly fault?: readonly ['token' | 'assets', FaultName];
  /** Changes of a config that is right. */
  readonly config?: (config: TestWorld['config']) => unknown;
}

const listFaults: FaultName[] = [
  'status400',
  'status401',
  'status403',
  'status404',
  'status410',
  'status429Seconds',
  'status500',
  'redirect302',
  'noContent204',
  'connectionRefused',
  'resetBeforeAnswer',
  'stalledHeaders',
  'truncatedJson',
  'gzipCutShort',
  'invalidUtf8',
  'html',
  'emptyObject',
  'itemsNull',
  'itemEmpty',
  'paginationAbsent',
  'offsetNotEchoed',
];
const tokenFaults: FaultName[] = [
  'status400',
  'status401',
  'status403',
  'status404',
  'status429Bare',
  'status500',
  'redirect307',
  'connectionRefused',
  'stalledHeaders',
  'html',
  'emptyObject',
];

const cases: Case[] = [
  { title: 'all is well' },
  { title: 'config: a secret is missing', config: ({ client_secret: _gone, ...rest }) => rest },
  { title: 'config: an address that is none', config: (config) => ({ ...config, auth_url: 'auth.example' }) },
  {
    title: 'config: plain http',
    config: (config) => ({ ...config, auth_url: 'http://auth.example/token' }),
  },
  { title: 'config: no stream', config: ({ assets: _a, alarms: _b, ...rest }) => rest },
  { title: 'config: an unknown kind of token', config: (config) => ({ ...config, token: { kind: 'all' } }) },
  { title: 'config: not JSON', config: () => '{"auth_url": ' },
  { title: 'a wrong secret', config: (config) => ({ ...config, client_secret: 'not-the-one' }) },
  {
    title: 'an audience that does not exist',
    config: (config) => ({
      ...config,
      token: { kind: 'module' },
      assets: { ...config.assets, audience: 'XXAPI' },
    }),
  },
  { title: 'assets: permission missing', options: { permissions: { assets: false } } },
  { title: 'alarms: product not bought', options: { products: { UMAPI: false } } },
  {
    title: 'scopes that leave out alarms',
    config: (config) => ({ ...config, token: { kind: 'scoped', scopes: ['AMAPI'] } }),
  },
  {
    title: 'alarms: a created_field without times',
    config: (config) => ({ ...config, alarms: { ...config.alarms, created_field: 'created' } }),
  },
  {
    title: 'alarms: an id_field that is no key',
    config: (config) => ({ ...config, alarms: { ...config.alarms, id_field: 'assetId' } }),
  },
  ...tokenFaults.map((fault): Case => ({ title: `token endpoint: ${fault}`, fault: ['token', fault] })),
  ...listFaults.map((fault): Case => ({ title: `assets: ${fault}`, fault: ['assets', fault] })),
];

async function answerTo({ options, fault, config }: Case): Promise<string> {
  const world = await bed.world({ assets: 30, alarms: 30, ...(options === undefined ? {} : { options }) });
  const plan: FaultPlans =
    fault === undefined ? {} : { [fault[0]]: { fault: fault[1], at: 'any', times: null } };
  const { config: faulty } = await world.faults(plan);
  const right = fault === undefined ? world.config : faulty;
  const run = await world.run('check', {
    config: config === undefined ? right : (config(right) as object),
    env: fastTime(20),
  });
  expect(run.code).toBe(0);
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
