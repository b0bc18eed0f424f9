import { ratioLine, seconds, words } from '../report.ts';
import type { Group, Line } from '../report.ts';
import type { ListName } from '../server.ts';
import type { Workbench } from '../workbench.ts';

const TIME = { type: 'string', format: 'date-time' };
const NUMBER = { type: 'number' };
const numbers = { latitude: NUMBER, longitude: NUMBER, speed: NUMBER, serial: NUMBER };
const nested = { position: { type: 'object' }, loads: { type: 'array' } };

/** Lists, what their rows hold beside the members of narrow alarms, and how the catalog declares it. */
const LOADS: readonly (readonly [list: ListName, what: string, more: object])[] = [
  ['narrowAlarms', 'narrow alarms', {}],
  ['numbers', '… with doubles, exponents and integers of 20 digits', numbers],
  ['nested', '… with doubles in objects and arrays', nested],
  ['zones', '… with times in other zones', { sentDate: TIME, localDate: TIME }],
];
const PAGE = 500;
const MAX_RATIO = 1.1;

/** CPU of a read with a catalog, whose declarations every value is compared with, against one without. */
export async function measureCatalog(bench: Workbench): Promise<Group[]> {
  const { nodes, sizes } = bench;
  const lines: Line[] = [];
  for (const [list, what, more] of LOADS) {
    console.log(`catalog: ${what} …`);
    const source = bench.source(list, sizes.rows, 0, PAGE);
    const text = { type: 'string' };
    const properties = { alarmId: text, assetId: text, severity: text, createdDate: TIME, ...more };
    const stream = { name: 'alarms', json_schema: { properties }, supported_sync_modes: ['full_refresh'] };
    const catalog = { streams: [{ stream, sync_mode: 'full_refresh', destination_sync_mode: 'append' }] };
    const ratios: number[] = [];
    let ms = 0;
    for (const { command } of nodes.toReversed()) {
      const without = await bench.connector('read', command, source, {});
      const compared = await bench.connector('read', command, source, { catalog });
      const { ratio, median } = await bench.compete(
        [
          ['without', without],
          ['with', compared],
        ],
        2 * sizes.rounds,
      );
      ratios.unshift(ratio('with', 'without', 'cpuMs'));
      ms = median('with', 'cpuMs');
    }
    lines.push(ratioLine(what, `${seconds(ms)} CPU`, ratios, ['at most', MAX_RATIO]));
  }
  const columns = ['figure', `ratio, ${nodes[0].name}`, nodes[1]?.name ?? '', 'target'];
  return [{ title: `With a catalog, ${words(sizes.rows)} rows, against without`, columns, lines }];
}
