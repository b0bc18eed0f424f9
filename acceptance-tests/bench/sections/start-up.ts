import { join } from 'node:path';

import { compete } from '../contest.ts';
import type { Contender } from '../contest.ts';
import type { SectionResult, TableRow, Target } from '../report-types.ts';
import type { Workbench } from '../workbench.ts';

/** Runs behind one another that are taken together: the shell counts in whole ms. */
const TIMES = 5;
const REQUESTS = join(import.meta.dirname, '../programs/requests.mjs');

/** c) What `spec` and `check` cost against a Node.js that does nothing. */
export async function measureStartUp(bench: Workbench): Promise<SectionResult> {
  bench.say('c) start-up …');
  const { program, settings, sizes } = bench;
  const base = bench.baseUrl({ rows: 1000, latencyMs: 0, pageSize: 100 });
  const config = await bench.file('config.json', {
    auth_url: `${bench.server.origin}/token`,
    client_id: 'bench',
    client_secret: 'bench-secret',
    assets: { base_url: base },
    alarms: { base_url: base },
  });
  const refused = await bench.file('config.json', {});
  const contest = await compete(
    [
      node('empty', '-e', '0'),
      node('spec', program, 'spec'),
      node('check', program, 'check', '--config', config),
      node('refused', program, 'check', '--config', refused),
      node('no requests', REQUESTS),
      node('requests', REQUESTS, `${base}/v1/assets?limit=1&offset=0`, `${base}/v1/alarms?limit=1`),
    ],
    sizes.startUpRounds,
    { ...settings, times: TIMES },
  );
  const row = (name: string, what: string, target: Target | null): TableRow => ({
    section: 'c',
    what,
    figure: words(contest.median(name, 'cpuMs'), contest.median(name, 'wallMs')),
    ratio: name === 'empty' ? null : contest.ratio(name, 'empty', 'cpuMs'),
    target,
  });
  const offline = (figure: 'cpuMs' | 'wallMs'): number => {
    const asking = contest.median('requests', figure) - contest.median('no requests', figure);
    return contest.median('check', figure) - asking;
  };
  return {
    rows: [
      row('empty', 'node -e 0', null),
      row('spec', 'spec: CPU / node -e 0', { atMost: 2.6 }),
      {
        section: 'c',
        what: 'check, less what its two requests cost by themselves: CPU / node -e 0',
        figure: words(offline('cpuMs'), offline('wallMs')),
        ratio: offline('cpuMs') / contest.median('empty', 'cpuMs'),
        target: { atMost: 3.6 },
      },
      row('check', 'check, with a server that answers at once: CPU / node -e 0', null),
      row('refused', 'check, of a config that is refused: CPU / node -e 0', null),
    ],
    bars: [],
    notes: [],
  };
}

function words(cpuMs: number, wallMs: number): string {
  return `${cpuMs.toFixed(0)} ms CPU, ${wallMs.toFixed(0)} ms wall`;
}

function node(name: string, ...args: string[]): Contender {
  return { name, command: process.execPath, args };
}
