import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format } from 'prettier';

import { chartOf } from './chart.ts';

/** A line of the table: what it is about, a cell for each column of its group, and figures of it for machines. */
export interface Line {
  readonly what: string;
  readonly cells: readonly string[];
  readonly values?: Readonly<Record<string, number>>;
  /** Its bars of the chart, by program. */
  readonly bars?: Readonly<Record<string, number>>;
}

/** Lines that share their columns. */
export interface Group {
  readonly title: string;
  readonly columns: readonly string[];
  readonly lines: readonly Line[];
}

/** All that a run has found out, as it is written to `bench.json`. */
export interface Result {
  readonly machine: string;
  readonly date: string;
  readonly groups: readonly Group[];
}

/** What a ratio should be. */
export type Target = readonly ['at most' | 'at least', number];

/** A line with ratios, one for each Node.js; the first one is held to the target. */
export function ratioLine(
  what: string,
  figure: string,
  ratios: readonly number[],
  target: Target | null,
): Line {
  const [ratio = Number.NaN] = ratios;
  const [first = '', second = ''] = ratios.map((one) => one.toFixed(2));
  return { what, cells: [figure, first, second, verdict(ratio, target)], values: { ratio } };
}

/** The target in words, and whether it was met. */
export function verdict(ratio: number, target: Target | null): string {
  if (target === null) return '';
  const [side, bound] = target;
  const isMet = side === 'at most' ? ratio <= bound : ratio >= bound;
  return `${side === 'at most' ? '≤' : '≥'}${bound}: ${isMet ? 'met' : 'missed'}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

export function words(count: number): string {
  return count.toLocaleString('en-US');
}

/** The groups as one table of markdown; each begins with a line of its own that names its columns. */
export function tableOf(groups: readonly Group[]): string {
  const lines = groups.flatMap(({ title, columns, lines: own }) => [
    [`**${title}**`, ...columns],
    ...own.map(({ what, cells }) => [what, ...cells]),
  ]);
  const width = Math.max(...lines.map((cells) => cells.length));
  const rows = lines.map((cells) => `| ${[...cells, ...Array(width - cells.length).fill('')].join(' | ')} |`);
  return rows.toSpliced(1, 0, `|${' --- |'.repeat(width)}`).join('\n');
}

/** Puts a run's table and chart into docs/benchmark.md and its main figures into other pages, where the marks are. */
export async function publish(repository: string, result: Result): Promise<void> {
  const page =
    `![CPU for 100,000 rows](performance.svg)\n\n${tableOf(result.groups)}\n\n` +
    `Measured on ${result.date}: ${result.machine}. All figures: [performance.json](performance.json).`;
  const readme = readmeText(result.groups);
  if ((page + readme).includes('NaN'))
    throw new Error('only a run of usual size with all sections can be shown');
  const json = await format(JSON.stringify(result), { parser: 'json', printWidth: 110 });
  await writeFile(join(repository, 'docs/performance.json'), json);
  await writeFile(join(repository, 'docs/performance.svg'), chartOf(result.groups));
  await between(join(repository, 'docs/benchmark.md'), page);
  await between(join(repository, 'README.md'), readme);
  const peers = result.groups.filter(({ title }) => title === 'Peers: correctness');
  await between(join(repository, 'docs/test-your-client.md'), tableOf(peers));
}

function readmeText(groups: readonly Group[]): string {
  const values = (title: string, what: string): Readonly<Record<string, number>> => {
    const group = groups.find((one) => one.title.startsWith(title));
    return group?.lines.find((line) => line.what.startsWith(what))?.values ?? {};
  };
  const figure = (title: string, what: string, name: string): number =>
    values(title, what)[name] ?? Number.NaN;
  const times = (load: string): string => {
    const all = Object.values(values('Peers: CPU', load));
    return `${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)}`;
  };
  const cpu = (name: string): number => figure('CPU for', 'assets, pages of 500', name);
  const million = ((cpu('cpuMs') / cpu('rows')) * 1000).toFixed(1);
  const share = cpu('plain').toFixed(2);
  const overBound = (figure('Wall at', 'alarms', 'ratio') - 1) * 100;
  const chains = figure('Wall at', '… against 8', 'ratio').toFixed(1);
  const [assets, alarms] = ['assets', 'alarms'].map((list) =>
    figure('Memory', `10,000; 100,000; 1,000,000 ${list}`, 'most').toFixed(0),
  );
  return [
    `- A million assets: ${million} s of CPU, ${share} of what a plain program with fetch and JSON.parse takes.`,
    `- Python peers, each in its best form, take ${times('assets')} times its CPU for assets, and ${times('narrow alarms, pages of 25')} times for small alarms in pages of 25.`,
    `- Alarms from a server with 50 ms of latency: ${overBound.toFixed(0)} % above pages × latency; 8 parallel chains are ${chains} times as fast as one.`,
    `- Memory: at most ${assets} MiB for a million assets, ${alarms} MiB for a million alarms.`,
  ].join('\n');
}

const BEGIN = '<!-- made by `npm run bench -- --docs` -->\n';
const END = '\n<!-- end of what is made -->';

/** Replaces what stands between the marks of a page. */
async function between(path: string, text: string): Promise<void> {
  const page = await readFile(path, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1];
  if (after === undefined) throw new Error(`${path} has no marks`);
  const made = await format(text, { parser: 'markdown', printWidth: 110 });
  await writeFile(path, `${before}${BEGIN}\n${made}${END}${after}`);
}
