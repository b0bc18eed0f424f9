import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Options, type OptionsPatch, type Sandbox } from '../client.ts';
import { column, createCaller } from '../test-calls.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

/** Six alarms, half a second apart, two of them at the same time. */
async function sixAlarms(
  options: OptionsPatch,
): Promise<{ since: (text: string) => Promise<number>; shown: unknown[] }> {
  const world = await sandbox.createScenario({ assets: 1, alarms: 0, options });
  const at = '2025-05-05T05:05:';
  await world.arrive('alarms', { count: 5, createdAt: `${at}58.250Z`, spacingMs: 500 });
  await world.arrive('alarms', { count: 1, createdAt: `${at}59.250Z` });
  const { page, reply } = await createCaller(world);
  return {
    shown: column(await page('alarms', {}), 'createdDate'),
    since: async (createdSince) => {
      const answer = await reply('alarms', { createdSince });
      return answer.status === 200 ? (answer.json as { items: unknown[] }).items.length : -answer.status;
    },
  };
}

const formats: [Options['createdFormat'], unknown, number][] = [
  ['seconds', '2025-05-05T05:05:59Z', 4],
  ['milliseconds', '2025-05-05T05:05:59.250Z', 4],
  ['microseconds', '2025-05-05T05:05:59.250000Z', 4],
  ['nanoseconds', '2025-05-05T05:05:59.250000000Z', 4],
  ['epochSeconds', 1746421559, 4],
  ['epochMilliseconds', 1746421559250, 4],
  ['offset', '2025-05-05T07:05:59.250+02:00', 4],
  ['noZone', '2025-05-05T05:05:59.250', 4],
];

describe('createdSince (format, bound and precision are left open)', () => {
  it.each(formats)(
    'in the format %s: rows show it, and a bound in it works',
    async (createdFormat, text, rows) => {
      const inclusive = await sixAlarms({ createdFormat, createdSinceStrict: true });
      expect(inclusive.shown[2]).toBe(text);
      expect(await inclusive.since(String(text))).toBe(rows);
      const exclusive = await sixAlarms({ createdFormat, alarmsBound: 'exclusive' });
      // What is compared is what is shown: with whole seconds, the three rows of one second are alike.
      const alike = createdFormat === 'seconds' || createdFormat === 'epochSeconds' ? 3 : 2;
      expect(await exclusive.since(String(text))).toBe(rows - alike);
    },
  );

  it.each(formats)('strict in the format %s refuses the others', async (createdFormat, own) => {
    const { since } = await sixAlarms({ createdFormat, createdSinceStrict: true });
    const others = formats.filter(([format]) => format !== createdFormat).map(([, text]) => String(text));
    for (const text of others) expect(await since(text)).toBe(-400);
    expect(await since(String(own))).toBeGreaterThan(0);
  });

  it('takes every format unless it is strict', async () => {
    const { since } = await sixAlarms({});
    for (const [, text] of formats) expect(await since(String(text))).toBe(4);
    expect(await since('2025-05-05T05:05:59.2500001Z')).toBe(2);
  });

  it.each([
    '2025-02-30T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-05-05',
    '2025-05-05T05:05:59 02:00',
    '12.5',
    '',
  ])('refuses "%s"', async (text) => {
    expect(await (await sixAlarms({})).since(text)).toBe(-400);
  });

  it.each([
    ['exact', 1],
    ['second', 4],
    ['minute', 6],
  ] as const)('is cut down to alarmsBoundPrecision %s', async (alarmsBoundPrecision, rows) => {
    const { since } = await sixAlarms({ alarmsBoundPrecision });
    expect(await since('2025-05-05T05:05:59.900Z')).toBe(rows);
  });
});
