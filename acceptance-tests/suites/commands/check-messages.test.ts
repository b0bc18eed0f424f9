// the messages of check; after intended changes:
// npx vitest run --project long acceptance-tests/suites/commands/check-messages --update
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EndpointName, FaultName, FaultPlans, OptionsPatch } from '../../sandbox/client.ts';
import { fastTime } from '../../support/fast-time.ts';
import { verdict } from '../../support/run-views.ts';
import { useTestBed, type TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();

interface Setup {
  readonly options?: OptionsPatch;
  readonly faults?: Partial<Record<EndpointName, FaultName>>;
  /** Changes the valid config. */
  readonly config?: (config: TestWorld['config']) => unknown;
}

const withAlarms =
  (change: object): NonNullable<Setup['config']> =>
  (config) => ({ ...config, alarms: { ...config.alarms, ...change } });
const byModule = { token: { kind: 'module' } };
const scoped = { token: { kind: 'scoped', scopes: ['AMAPI'] } };

// unit tests and the fault matrix have the messages of all other faults
const cases: Readonly<Record<string, Setup>> = {
  'all is well': {},
  'config: a secret is missing': { config: ({ client_secret: _gone, ...rest }) => rest },
  'config: not JSON': { config: () => '{"auth_url": ' },
  'a wrong secret': { config: (config) => ({ ...config, client_secret: 'not-the-one' }) },
  'an audience that does not exist': {
    config: ({ assets, ...rest }) => ({ ...rest, ...byModule, assets: { ...assets, audience: 'XXAPI' } }),
  },
  'alarms: product not bought': { options: { products: { UMAPI: false } } },
  'scopes that leave out alarms': { config: (config) => ({ ...config, ...scoped }) },
  'neither may be read': { options: { permissions: { assets: false, alarms: false } } },
  'alarms alone': { config: ({ assets: _left, ...rest }) => rest },
  'alarms: no created times in any field': { options: { alarmsCreatedMissingEvery: 1 } },
  'alarms: a created_field without times': { config: withAlarms({ created_field: 'created' }) },
  'alarms: a created_field that is often empty': {
    config: withAlarms({ created_field: 'acknowledgedDate' }),
  },
  'alarms: no id_field': { config: withAlarms({ id_field: undefined }) },
  'alarms: an id_field that is no key': { config: withAlarms({ id_field: 'assetId' }) },
  'alarms: an id_field that is not there': { config: withAlarms({ id_field: 'number' }) },
  'token endpoint: status404': { faults: { token: 'status404' } },
  'token endpoint: status429Bare': { faults: { token: 'status429Bare' } },
  'token endpoint: status500': { faults: { token: 'status500' } },
  'token endpoint: connectionRefused': { faults: { token: 'connectionRefused' } },
  'token endpoint: html': { faults: { token: 'html' } },
  'assets: status401': { faults: { assets: 'status401' } },
  'both: status400, status410': { faults: { assets: 'status400', alarms: 'status410' } },
  'both: status404, status403': { faults: { assets: 'status404', alarms: 'status403' } },
  'both: status429Seconds, status500': { faults: { assets: 'status429Seconds', alarms: 'status500' } },
  'both: redirect302, noContent204': { faults: { assets: 'redirect302', alarms: 'noContent204' } },
  'both: refused, reset': { faults: { assets: 'connectionRefused', alarms: 'resetBeforeAnswer' } },
  'both: html, truncatedJson': { faults: { assets: 'html', alarms: 'truncatedJson' } },
};

async function answerTo({ options = {}, faults = {}, config = (one) => one }: Setup): Promise<string> {
  const world = await bed.world({ assets: 30, alarms: 30, options });
  const plans = Object.entries(faults).map(([endpoint, fault]) => [
    endpoint,
    { fault, at: 'any', times: null },
  ]);
  const right = plans.length === 0 ? world : await world.faults(Object.fromEntries(plans) as FaultPlans);
  const run = await world.run('check', { config: config(right.config) as object, env: fastTime(20) });
  expect(run.code).toBe(0);
  const bodies = (await world.tokenRequests()).map(({ body }) => body);
  if (faults.token === undefined)
    expect(bodies, 'no token is requested twice').toHaveLength(new Set(bodies).size);
  const { status, lines } = verdict(run);
  return [status, ...lines.map((line) => `  ${stable(line)}`)].join('\n');
}

/** Removes what differs between runs. */
function stable(line: string): string {
  return line
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, 'HOST')
    .replaceAll(/HOST\/w\/\w+/g, 'HOST')
    .replaceAll(/eW91Om[\w+/=*]*/g, 'BASE64')
    .replaceAll(/config \S*config\.json/g, 'config FILE')
    .replaceAll(/in \S*tokens-\w+\.json/g, 'in FILE')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\d+ attempts in [\d.]+ (s|min)\./g, 'N attempts in N s.')
    .replaceAll(/at byte \d+, in row \d+ \(items\[\d+\]\): the text ends\b.*? \(status/g, 'at byte N (status')
    .replaceAll(/Pages of \d+ to \d+ rows/g, 'Pages of N to N rows')
    .replaceAll(/asks to wait \d+ s/g, 'asks to wait N s')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID');
}

const FILE = join(import.meta.dirname, 'check-messages.txt');

test('messages of check say what happened, where, and what to do next', async () => {
  const titles = Object.keys(cases);
  const answers = [...titles];
  const queue = titles.entries();
  const worker = async (): Promise<void> => {
    for (const [index, title] of queue) answers[index] = `${title}\n${await answerTo(cases[title] ?? {})}\n`;
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  await expect(answers.join('\n')).toMatchFileSnapshot(FILE);
});

test('two pages of a list by offset are requested, and one of a list by cursor with one from the middle by created time', async () => {
  const world = await bed.world({ assets: 1234, alarms: 10 });
  const run = await world.run('check', {});
  expect(verdict(run)).toStrictEqual({
    status: 'SUCCEEDED',
    lines: ['assets: ok (1,234 rows)', 'alarms: ok'],
  });
  const { endpoints, last } = await world.requests();
  expect([endpoints.token.count, endpoints.assets.count, endpoints.alarms.count]).toStrictEqual([1, 2, 2]);
  const lists = last.filter(({ endpoint }) => endpoint !== 'token');
  const shown = lists.map(({ endpoint, query, rows }) => {
    const bound = query['createdSince'] === undefined ? '' : ' since a time';
    return `${endpoint} ${rows} of ${query['limit']}${bound}`;
  });
  expect(new Set(shown)).toStrictEqual(
    new Set(['assets 100 of 100', 'alarms 10 of 100', 'alarms 5 of 100 since a time']),
  );
});
