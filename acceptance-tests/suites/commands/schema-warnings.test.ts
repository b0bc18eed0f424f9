import { describe, expect, test } from 'vitest';
import { startFixedApi } from '../../support/fixed-api.ts';
import { discovered, logs, recordTexts } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

const page = (rows: readonly string[]): string =>
  `{"items":[${rows.join(',')}],"metadata":{"pagination":{}}}`;

const SEEN = ['{"alarmId":"a","createdDate":"2026-01-01T00:00:00Z","axles":3}'];
const LATER = [
  '{"alarmId":"b","createdDate":"2026-01-02T00:00:00Z","axles":2.5,"note":"canary"}',
  '{"alarmId":"c","createdDate":"never","axles":3}',
  '{"alarmId":"d","createdDate":"2026-01-03T00:00:00Z","mark":"\\ud83d"}',
];

describe.concurrent('a read with a catalog', () => {
  test.concurrent('names what contradicts it before the rows leave, which leave as they are', async () => {
    const assets = page([]);
    const [before, now] = await Promise.all([
      startFixedApi({ assets, alarms: page(SEEN) }),
      startFixedApi({ assets, alarms: page([...SEEN, ...LATER]) }),
    ]);
    const streams = discovered(await bed.run(['discover'], { config: before.config }));
    const [stream] = streams.filter(({ name }) => name === 'alarms');
    const catalog = { streams: [{ stream, sync_mode: 'full_refresh', destination_sync_mode: 'append' }] };
    const run = await bed.run(['read'], { config: now.config, catalog });
    await Promise.all([before.close(), now.close()]);
    expect(run.code).toBe(0);
    expect(recordTexts(run, 'alarms')).toStrictEqual([...SEEN, ...LATER]);
    const [first = '', last = ''] = logs(run, 'WARN').filter((words) => words.includes('warehouses'));
    for (const words of [first, last]) {
      expect(words).toContain('"axles" is declared integer and holds a decimal or an exponent');
      expect(words).toContain('"createdDate" is declared date-time and holds a text that is no such time');
      expect(words).toContain('"note" is not declared');
      expect(words).toContain('row 4 has half of a surrogate pair in "mark"');
      expect(words).not.toContain('canary');
    }
    expect(last).toContain('set sample_rows to 1000 or more, discover the schema again');
    const warned = run.messages.findIndex(
      (message) => message.type === 'LOG' && message.log.message === first,
    );
    const emitted = run.messages.findIndex(({ type }) => type === 'RECORD');
    expect(warned).toBeGreaterThan(-1);
    expect(warned).toBeLessThan(emitted);
  });

  test.concurrent('says nothing of rows as they were discovered', async () => {
    const world = await bed.world({ assets: 200, alarms: 200 });
    const streams = discovered(await world.run('discover', {}));
    const catalog = { streams: streams.map((stream) => ({ stream, sync_mode: 'full_refresh' })) };
    expect(logs(await world.run('read', { catalog }), 'WARN')).toStrictEqual([]);
  });
});
