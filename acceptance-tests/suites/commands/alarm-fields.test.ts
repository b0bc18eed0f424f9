import { describe, expect, test } from 'vitest';

import { errors, rowSet, statuses } from '../../support/run-views.ts';
import type { Run } from '../../support/run-connector.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

function verdict(run: Run): string {
  const message = run.messages.find(({ type }) => type === 'CONNECTION_STATUS');
  return message?.type === 'CONNECTION_STATUS'
    ? `${message.connectionStatus.status}: ${message.connectionStatus.message ?? ''}`
    : 'none';
}

describe.concurrent('a created_field that holds no times', () => {
  test.concurrent('check names the fields that do', async () => {
    const world = await bed.world({ assets: 1, alarms: 50 });
    const { assets: _left, ...config } = world.config;
    const run = await world.run('check', {
      config: { ...config, alarms: { ...config.alarms, created_field: 'raised' } },
    });
    expect(verdict(run)).toMatch(
      /^FAILED: alarms: no time can be read in "raised" \(alarms\.created_field\) in any of the 50 rows .*: "createdDate"/,
    );
  });

  test.concurrent('an incremental read is refused, a full refresh works', async () => {
    const world = await bed.world({ assets: 1, alarms: 50 });
    const { assets: _left, ...whole } = world.config;
    const config = { ...whole, alarms: { ...whole.alarms, created_field: 'raised' } };
    const refused = await world.run('read', { config });
    expect(refused.code).toBe(1);
    expect(statuses(refused, 'alarms')).toStrictEqual(['STARTED', 'INCOMPLETE']);
    expect(errors(refused)[0]).toMatchObject({ failure_type: 'config_error' });
    expect(errors(refused)[0]?.message).toContain('"createdDate"');

    const catalog = { streams: [{ stream: { name: 'alarms' }, sync_mode: 'full_refresh' }] };
    const full = await world.run('read', { config, catalog });
    expect(full.code).toBe(0);
    expect(rowSet(full, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
  });
});

test.concurrent('no field that holds times: for full_refresh only, and said', async () => {
  const world = await bed.world({ assets: 1, alarms: 50, options: { alarmsCreatedMissingEvery: 1 } });
  const { assets: _left, ...config } = world.config;
  expect(verdict(await world.run('check', { config }))).toMatch(
    /^SUCCEEDED: alarms: ok, but for full_refresh only: none /,
  );
  const refused = await world.run('read', { config });
  expect([refused.code, errors(refused)[0]?.message]).toStrictEqual([
    1,
    expect.stringMatching(/Read alarms with full_refresh\.$/),
  ]);
  const catalog = { streams: [{ stream: { name: 'alarms' }, sync_mode: 'full_refresh' }] };
  const full = await world.run('read', { config, catalog });
  expect(rowSet(full, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
});

describe.concurrent('an id_field that is no key', () => {
  test.concurrent.each([
    ['assetId', /"assetId" \(alarms\.id_field\) holds the same value in several of the \d+ rows .*"alarmId"/],
    ['number', /"number" \(alarms\.id_field\) holds no text or number in \d+ of the \d+ rows .*"alarmId"/],
  ])('%s', async (id_field, words) => {
    const world = await bed.world({ assets: 3, alarms: 50 });
    const config = { ...world.config, alarms: { ...world.config.alarms, id_field } };
    expect(verdict(await world.run('check', { config }))).toMatch(words);
  });
});
