import { describe, expect, test } from 'vitest';
import { useTestBed } from '../support/test-bed.ts';
import { readAcceptanceTestConfig } from './acceptance-test-config.ts';
import { catWorld, configAt } from './cat-world.ts';

const bed = useTestBed();
const { tests } = readAcceptanceTestConfig().acceptance_tests.connection;
const statusOf = { succeed: 'SUCCEEDED', failed: 'FAILED' } as const;

describe('TestConnection', () => {
  test.each(tests)('test_check: $config_path is to $status', async ({ config_path, status }) => {
    if (status !== 'succeed' && status !== 'failed') throw new Error(`cannot expect ${status}`);
    const world = await catWorld(bed);
    const run = await world.run('check', { config: configAt(world, config_path) });
    const found = run.messages.flatMap((message) =>
      message.type === 'CONNECTION_STATUS' ? [message.connectionStatus.status] : [],
    );
    expect(found).toStrictEqual([statusOf[status]]);
  });

  test('test_check: a config that breaks the spec is to fail too, or to be an exception', async () => {
    const world = await catWorld(bed);
    const run = await world.run('check', { config: { ...world.config, client_id: 5 } });
    const statuses = run.messages.filter(({ type }) => type === 'CONNECTION_STATUS');
    const errors = run.messages.filter(({ type }) => type === 'TRACE');
    expect([statuses.length, errors.length]).toStrictEqual([1, 0]);
  });
});
