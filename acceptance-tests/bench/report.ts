import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format } from 'prettier';

import { chartOf } from './chart.ts';
import { tableOf } from './table.ts';
import type { Group } from './table.ts';

/** The content of `bench.json`. */
export interface Result {
  readonly machine: string;
  readonly date: string;
  readonly groups: readonly Group[];
}

const CORRECTNESS = 'Peers: correctness';

/** Writes the table and chart of a run to docs, and its main figures to other pages, between the marks. */
export async function publish(repository: string, result: Result): Promise<void> {
  const { machine, date, groups } = result;
  const correctness = groups.filter(({ title }) => title === CORRECTNESS);
  const others = groups.filter((group) => !correctness.includes(group));
  const pages = {
    'docs/benchmark.md':
      `![CPU for 100,000 rows](performance.svg)\n\n${tableOf(others)}\n\n` +
      `Measured on ${date}: ${machine}. All figures: [performance.json](performance.json).`,
    'README.md': readmeText(groups),
    'docs/performance.md': smallPagesText(groups),
    'docs/test-your-client.md': tableOf(correctness),
  };
  if (Object.values(pages).join('').includes('NaN'))
    throw new Error('publishing requires a run of all sections in usual size');
  const json = await format(JSON.stringify(result), { parser: 'json', printWidth: 110 });
  await writeFile(join(repository, 'docs/performance.json'), json);
  await writeFile(join(repository, 'docs/performance.svg'), chartOf(groups));
  for (const [path, text] of Object.entries(pages)) await replaceMarked(join(repository, path), text);
}

type Values = Readonly<Record<string, number>>;

function valuesOf(groups: readonly Group[], title: string, what: string): Values {
  const group = groups.find((one) => one.title.startsWith(title));
  return group?.lines.find((line) => line.what.startsWith(what))?.values ?? {};
}

/** The range of the CPU ratios of the peers. */
function peerRange(groups: readonly Group[], load: string, digits: number): string {
  const all = Object.values(valuesOf(groups, 'Peers: CPU', load));
  return `${Math.min(...all).toFixed(digits)} to ${Math.max(...all).toFixed(digits)}`;
}

function readmeText(groups: readonly Group[]): string {
  const value = (title: string, what: string, name: string): number =>
    valuesOf(groups, title, what)[name] ?? Number.NaN;
  const cpu = (name: string): number => value('CPU for', 'assets, pages of 500', name);
  const million = ((cpu('cpuMs') / cpu('rows')) * 1000).toFixed(1);
  const overhead = (value('Wall time', 'alarms', 'ratio') - 1) * 100;
  const [assets, alarms] = ['assets', 'alarms'].map((list) =>
    value('Peak memory', `10,000; 100,000; 1,000,000 ${list}`, 'max').toFixed(0),
  );
  return [
    `- A million assets: ${million} s of CPU, ${cpu('plain').toFixed(2)} times that of a plain program with fetch and JSON.parse.`,
    `- Python peers in their fastest configurations take ${peerRange(groups, 'assets', 0)} times its CPU for assets, and ${peerRange(groups, 'narrow alarms, pages of 25', 0)} times for small alarms in pages of 25.`,
    `- Alarms from a server with 50 ms of latency: ${overhead.toFixed(0)} % above pages × latency. 8 parallel chains are ${value('Wall time', '… speedup with 8', 'ratio').toFixed(1)} times as fast as one.`,
    `- Peak memory: ${assets} MiB for a million assets, ${alarms} MiB for a million alarms.`,
  ].join('\n');
}

/** Names the loads for which a plain program takes about as much CPU as the connector. */
function smallPagesText(groups: readonly Group[]): string {
  const times = (load: string): string =>
    (valuesOf(groups, 'CPU for', load)['plain'] ?? Number.NaN).toFixed(2);
  const ten = 'alarms with ten members, pages of 25';
  return [
    `For narrow rows in pages of 25, the connector takes about as much CPU as the plain reader: ${times('narrow alarms, pages of 25')} times as much for narrow alarms, ${times('narrow assets, pages of 25')} times for narrow assets.`,
    `For alarms with ten members in pages of 25, it takes ${times(ten)} times the CPU of the plain reader, and the peers take ${peerRange(groups, ten, 1)} times the CPU of the connector.`,
  ].join(' ');
}

const BEGIN = '<!-- made by `npm run bench -- --docs` -->\n';
const END = '\n<!-- end of what is made -->';

/** Replaces the text between the marks of a page. */
async function replaceMarked(path: string, text: string): Promise<void> {
  const page = await readFile(path, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1];
  if (after === undefined) throw new Error(`${path} has no marks`);
  const formatted = await format(text, { parser: 'markdown', printWidth: 110 });
  await writeFile(path, `${before}${BEGIN}\n${formatted}${END}${after}`);
}
