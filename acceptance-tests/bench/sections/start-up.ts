import { join } from 'node:path';

import { program } from '../../support/program.ts';
import { compete } from '../contest.ts';
import type { Contender, Contest } from '../contest.ts';
import { ratioLine } from '../report/lines.ts';
import type { Findings, Line, Target } from '../report/lines.ts';
import type { Workbench } from '../workbench.ts';

/** Runs behind one another that are taken together: the shell counts in whole ms. */
const TIMES = 5;
const REQUESTS = join(import.meta.dirname, '../programs/requests.mjs');

/** What `spec` and `check` cost against a Node.js that does nothing. */
export async function measureStartUp(bench: Workbench): Promise<Findings> {
  bench.say('start-up …');
  const contests: Contest[] = [];
  for (const { command } of bench.runtimes) contests.push(await start(bench, command));
  const line = (what: string, cost: (contest: Contest) => number, target: Target | null): Line =>
    ratioLine(
      what,
      contests.map((contest) => `${cost(contest).toFixed(0)} ms`).join('; '),
      contests.map((contest) => cost(contest) / contest.median('empty', 'cpuMs')),
      target,
    );
  const lines = [
    line('`spec`', of('spec'), { atMost: 2.6 }),
    line('`check`, less what its requests cost by themselves', offline, { atMost: 3.6 }),
    line('`check`, server that answers at once', of('check'), null),
    line('`check`, config refused', of('refused'), null),
  ];
  const names = bench.runtimes.map(({ name }) => name);
  const columns = [names.join('; '), `ratio, ${names[0]}`, names[1] ?? '', 'target'];
  return { groups: [{ title: 'Start-up: CPU against `node -e 0`', columns, lines }], bars: [] };
}

function of(name: string): (contest: Contest) => number {
  return (contest) => contest.median(name, 'cpuMs');
}

/** A check without what its requests cost by themselves. */
function offline(contest: Contest): number {
  return of('check')(contest) - (of('requests')(contest) - of('loaded')(contest));
}

async function start(bench: Workbench, command: string): Promise<Contest> {
  const { settings, sizes } = bench;
  const assets = bench.source('assets', 1000, 0, 100);
  const alarms = bench.source('alarms', 1000, 0, 100);
  const lists = { assets: { base_url: assets.baseUrl }, alarms: { base_url: alarms.baseUrl } };
  const config = await bench.file('config.json', { ...assets.account, ...lists });
  const urls = [`${assets.baseUrl}/v1/assets?limit=1&offset=0`, `${alarms.baseUrl}/v1/alarms?limit=1`];
  const node = (name: string, ...args: string[]): Contender => ({ name, command, args });
  return compete(
    [
      node('empty', '-e', '0'),
      node('spec', program, 'spec'),
      node('check', program, 'check', '--config', config),
      node('refused', program, 'check', '--config', await bench.file('config.json', {})),
      node('loaded', REQUESTS),
      node('requests', REQUESTS, ...urls),
    ],
    sizes.startUpRounds,
    { ...settings, times: TIMES },
  );
}
