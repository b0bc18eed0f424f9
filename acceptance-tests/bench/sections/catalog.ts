import { catalogOf } from '../../support/catalogs.ts';
import type { ListName } from '../server.ts';
import { grouped, ratioLine, seconds, type Group, type Line } from '../table.ts';
import type { Workbench } from '../workbench.ts';

const TIME = { type: 'string', format: 'date-time' };
const NUMBER = { type: 'number' };
const numbers = { latitude: NUMBER, longitude: NUMBER, speed: NUMBER, serial: NUMBER };
const nested = { position: { type: 'object' }, loads: { type: 'array' } };

const LOADS: readonly (readonly [list: ListName, what: string, more: object])[] = [
  ['narrowAlarms', 'narrow alarms', {}],
  ['numbers', '… with doubles, exponents and 20-digit integers', numbers],
  ['nested', '… with doubles in objects and arrays', nested],
  ['zones', '… with times in other zones', { sentDate: TIME, localDate: TIME }],
];
const PAGE = 500;
const MAX_RATIO = 1.1;

/** CPU of a read with a catalog, which compares every value with its schema, relative to a read without one. */
export async function measureCatalog(bench: Workbench): Promise<Group[]> {
  const { nodes, sizes } = bench;
  const lines: Line[] = [];
  for (const [list, what, more] of LOADS) {
    console.log(`catalog: ${what} …`);
    const source = bench.source(list, sizes.rows, 0, PAGE);
    const text = { type: 'string' };
    const properties = { alarmId: text, assetId: text, severity: text, createdDate: TIME, ...more };
    const catalog = catalogOf({ alarms: 'full_refresh' }, { properties });
    const ratios: number[] = [];
    let ms = 0;
    for (const { command } of nodes.toReversed()) {
      const without = ['without', await bench.connector('read', command, source, {})] as const;
      const compared = ['with', await bench.connector('read', command, source, { catalog })] as const;
      const { ratio, median } = await bench.compare([without, compared], 2 * sizes.rounds);
      ratios.unshift(ratio('with', 'without', 'cpuMs'));
      ms = median('with', 'cpuMs');
    }
    lines.push(ratioLine(what, `${seconds(ms)} CPU`, ratios, ['at most', MAX_RATIO]));
  }
  const columns = ['figure', `ratio, ${nodes[0].name}`, nodes[1]?.name ?? '', 'target'];
  return [{ title: `CPU with a catalog, ${grouped(sizes.rows)} rows, relative to without`, columns, lines }];
}
