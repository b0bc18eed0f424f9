import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format } from 'prettier';

import type { Group } from './lines.ts';
import { tableOf } from './table.ts';

/** All that a run has found out, as it is written to `bench.json`. */
export interface Result {
  readonly machine: string;
  readonly date: string;
  readonly groups: readonly Group[];
}

const BEGIN = '<!-- made by `npm run bench -- --docs` -->\n';
const END = '\n<!-- end of what is made -->';

/** Puts a run's table and chart into docs/performance.md and its main figures into README, where the marks are. */
export async function publish(repository: string, folder: string, result: Result): Promise<void> {
  const texts = [pageText(result), readmeText(result)] as const;
  if (texts.join('').includes('NaN'))
    throw new Error('only a run of usual size with all sections can be shown');
  const json = await format(JSON.stringify(result), { parser: 'json', printWidth: 110 });
  await writeFile(join(repository, 'docs/performance.json'), json);
  await copyFile(join(folder, 'bench.svg'), join(repository, 'docs/performance.svg'));
  await between(join(repository, 'docs/performance.md'), texts[0]);
  await between(join(repository, 'README.md'), texts[1]);
}

function pageText({ machine, date, groups }: Result): string {
  return (
    `![CPU for 100,000 rows](performance.svg)\n\n${tableOf(groups)}\n\n` +
    `Measured on ${date}: ${machine}. All figures: [performance.json](performance.json).`
  );
}

function readmeText({ groups }: Result): string {
  const values = (title: string, what: string): Readonly<Record<string, number>> => {
    const lines = groups.find((group) => group.title.startsWith(title))?.lines ?? [];
    return lines.find((line) => line.what.startsWith(what))?.values ?? {};
  };
  const times = (load: string): string => {
    const all = Object.values(values('Peers: CPU', load));
    return `${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)}`;
  };
  const { cpuMs = Number.NaN, rows = Number.NaN } = values('CPU for', 'assets, pages of 500');
  const plainShare = values('CPU for', '… plain reader')['ratio'] ?? Number.NaN;
  const overBound = ((values('Wall at', 'alarms')['ratio'] ?? Number.NaN) - 1) * 100;
  const chains = values('Wall at', '… against 8')['ratio'] ?? Number.NaN;
  const memory = ['10,000; 100,000; 1,000,000 assets', '10,000; 100,000; 1,000,000 alarms'].map((what) =>
    (values('Memory', what)['most'] ?? Number.NaN).toFixed(0),
  );
  return [
    `- A million assets: ${((cpuMs / rows) * 1000).toFixed(1)} s of CPU, ${plainShare.toFixed(2)} of what a plain program with fetch and JSON.parse takes.`,
    `- Python peers, each in its best form, take ${times('assets')} times its CPU for assets, and ${times('narrow alarms, pages of 25')} times for small alarms in pages of 25.`,
    `- Alarms from a server with 50 ms of latency: ${overBound.toFixed(0)} % above pages × latency; 8 parallel chains are ${chains.toFixed(1)} times as fast as one.`,
    `- Memory: at most ${memory.join(' MiB for a million assets, ')} MiB for a million alarms.`,
  ].join('\n');
}

/** Replaces what stands between the marks of a page. */
async function between(path: string, text: string): Promise<void> {
  const page = await readFile(path, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1];
  if (after === undefined) throw new Error(`${path} has no marks`);
  const made = await format(text, { parser: 'markdown', printWidth: 110 });
  await writeFile(path, `${before}${BEGIN}\n${made}${END}${after}`);
}
