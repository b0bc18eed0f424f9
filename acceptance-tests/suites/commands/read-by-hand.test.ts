import { describe, expect, test } from 'vitest';

import { rowSet, statuses } from '../../support/run-views.ts';
import type { Run } from '../../support/run-connector.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

function records(run: Run, stream: string): number {
  return run.messages.filter((message) => message.type === 'RECORD' && message.record.stream === stream)
    .length;
}

function logs(run: Run): string {
  return run.messages.flatMap((message) => (message.type === 'LOG' ? [message.log.message] : [])).join('\n');
}

describe.concurrent('a look at the data', () => {
  test.concurrent(
    '--limit-rows stops after so many rows of each stream, says so, and what it leaves can be gone on from',
    async () => {
      const world = await bed.world({ assets: 300, alarms: 300 });
      const look = await world.run('read', { options: ['--limit-rows', '7', '--state-every', '0'] });
      expect(look.code).toBe(0);
      expect([records(look, 'assets'), records(look, 'alarms')]).toStrictEqual([7, 7]);
      expect(logs(look)).toMatch(/assets: cut short after 7 rows, as asked/);
      expect(statuses(look, 'alarms').at(-1)).toBe('INCOMPLETE');

      const rest = await world.run('read', { state: look.stdout });
      expect(rest.code).toBe(0);
      const truth = await world.groundTruth();
      expect(rowSet(rest, 'assets')).toStrictEqual(truth.assets);
      expect(rowSet(rest, 'alarms')).toStrictEqual(truth.alarms);
    },
  );

  test.concurrent('--streams reads these alone', async () => {
    const world = await bed.world({ assets: 30, alarms: 30 });
    const run = await world.run('read', { options: ['--streams', 'alarms'] });
    expect([run.code, records(run, 'assets'), records(run, 'alarms')]).toStrictEqual([0, 0, 30]);
  });

  test.concurrent('a stream that is not there is wrong usage', async () => {
    const world = await bed.world({});
    const run = await world.run('read', { options: ['--streams', 'alarms,trucks'] });
    expect(run.code).toBe(2);
    expect(JSON.stringify(run.messages)).toContain(
      '--streams names trucks; there is assets, alarms to choose from.',
    );
  });
});

test('fields that the catalog does not declare are named', async () => {
  const world = await bed.world({ assets: 30, alarms: 30 });
  const properties = { alarmId: { type: 'string' } };
  const stream = { name: 'alarms', json_schema: { type: 'object', properties } };
  const run = await world.run('read', { catalog: { streams: [{ stream, sync_mode: 'incremental' }] } });
  expect(run.code).toBe(0);
  expect(logs(run)).toMatch(/alarms: .*: "assetId" is not declared; "createdDate" is not declared; /);
});
