import { catalogOf } from '../../support/catalogs.ts';
import { startRowApi } from '../../support/fixed-api.ts';
import type { Inputs } from '../../support/input-files.ts';
import { program } from '../../support/program.ts';
import type { Command } from '../measure.ts';
import { verdict, type Group, type Line } from '../table.ts';
import type { Workbench } from '../workbench.ts';

const MAX_RATIO = 2.5;
const MIN_MS = 50; // CPU in addition to start-up; smaller values count as this much, because of noise
const ATTEMPTS = 3;
const STATE = '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"x"}}}}';
const RECORD = '{"type":"RECORD","record":{"data":{"a":"';

const members = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',');
const longLine = (size: number): string => `${RECORD}${'}{'.repeat(size / 2)}"}}}\n${STATE}`;
const truncatedMessages = (count: number): string => `${STATE}\n${STATE}${`{"type"${STATE}`.repeat(count)}`;
const catalogWith = (count: number): object =>
  catalogOf(Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, 'full_refresh'])));

/** Members of the only row, slashes at the end of the URL, config keys, files. */
type Input = Readonly<{ row?: string; slashes?: string; keys?: string }> & Pick<Inputs, 'state' | 'catalog'>;

/** Inputs controlled by a server or a file, and a size at which superlinear cost exceeds that of start-up. */
const DIMENSIONS: readonly [what: string, commands: string, size: number, input: (size: number) => Input][] =
  [
    ['members of a row', 'check read discover', 1e6, (size) => ({ row: `,${members(1 + size)}` })],
    ['characters of a name', 'check read discover', 8e6, (size) => ({ row: `,"${'n'.repeat(size)}":1` })],
    ['digits of a number', 'check read discover', 8e6, (size) => ({ row: `,"n":1${'7'.repeat(size)}` })],
    ['slashes in a URL', 'check', 2e6, (size) => ({ slashes: '/'.repeat(size) })],
    ['bytes of a saved line', 'read', 3e7, (size) => ({ state: longLine(size) })],
    ['truncated messages on a line', 'read', 1e5, (size) => ({ state: truncatedMessages(size) })],
    ['messages on a line', 'read', 50_000, (size) => ({ state: STATE.repeat(size) })],
    ['config keys', 'check', 100_000, (size) => ({ keys: `,${members(1 + size)}` })],
    ['catalog entries', 'read', 10_000, (size) => ({ catalog: catalogWith(size) })],
  ];

/** CPU of commands for twice the input, relative to the input itself. Throws an error if a ratio is too high. */
export async function measureScaling(bench: Workbench): Promise<Group[]> {
  const lines: Line[] = [];
  for (const [what, commands, size, input] of DIMENSIONS) {
    const ratios: Record<string, number> = {};
    for (const command of commands.split(' ')) {
      console.log(`scaling: ${what}, ${command} …`);
      let ratio = Infinity;
      // noise rarely makes it smaller
      for (let attempt = 0; attempt < ATTEMPTS && ratio > MAX_RATIO; attempt++)
        ratio = await ratioOf(bench, command, [input(0), input(size), input(2 * size)]);
      if (ratio > MAX_RATIO)
        throw new Error(`${command}: twice the ${what} takes ${ratio.toFixed(2)} times the CPU`);
      ratios[command] = ratio;
    }
    const shown = Object.entries(ratios).map(([command, ratio]) => `\`${command}\` ${ratio.toFixed(2)}`);
    const target = verdict(Math.max(...Object.values(ratios)), ['at most', MAX_RATIO]);
    lines.push({ what, cells: [shown.join('; '), '', '', target], values: ratios });
  }
  return [{ title: 'Scaling: CPU for twice the input', columns: ['ratios', '', '', 'target'], lines }];
}

async function ratioOf(bench: Workbench, command: string, inputs: readonly Input[]): Promise<number> {
  const api = await startRowApi(1, 0, {
    assets: (_, response) => {
      const [, index = ''] = /^\/(\d)\/.*offset=0\b/.exec(response.req.url ?? '') ?? [];
      const item = `{"assetId":"a"${inputs[Number(index)]?.row ?? ''}}`;
      if (index !== '') response.end(`{"items":[${item}],"metadata":{"pagination":{"offset":0}}}`);
      return index !== '';
    },
  });
  try {
    const { assets, ...account } = api.config;
    const commands = inputs.map(async ({ slashes = '', keys = '', state, catalog }, index) => {
      const base_url = `${assets.base_url}/${index}${slashes}`;
      const config = JSON.stringify({ ...account, assets: { base_url } }).replace(/\}$/, `${keys}}`);
      const files = command === 'read' ? { config, state, catalog } : { config };
      // unknown streams are an expected error
      const through = catalog === undefined ? [] : ['-c', '"$0" "$@" || test $? = 1'];
      const args = [...through, bench.node, program, command, ...(await bench.inputs(files))];
      const whole: Command = [catalog === undefined ? 'env' : 'bash', ...args];
      return [String(index), whole] as const;
    });
    const { median } = await bench.compare(await Promise.all(commands), bench.sizes.rounds);
    const [none = 0, one = 0, two = 0] = inputs.map((_, index) => median(String(index), 'cpuMs'));
    return Math.max(two - none, MIN_MS) / Math.max(one - none, MIN_MS);
  } finally {
    await api.close();
  }
}
