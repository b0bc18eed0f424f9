import { compete } from '../contest.ts';
import type { Contender } from '../contest.ts';
import type { SectionResult, TableRow, Target } from '../report-types.ts';
import type { Workbench } from '../workbench.ts';

/** Runs behind one another that are taken together: the shell counts in whole ms. */
const TIMES = 5;

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
    ],
    sizes.startUpRounds,
    { ...settings, times: TIMES },
  );
  const row = (name: string, what: string, target: Target | null): TableRow => ({
    section: 'c',
    what,
    figure: `${contest.median(name, 'cpuMs').toFixed(0)} ms CPU, ${contest.median(name, 'wallMs').toFixed(0)} ms wall`,
    ratio: name === 'empty' ? null : contest.ratio(name, 'empty', 'cpuMs'),
    target,
  });
  const wall = (name: string): string => contest.ratio(name, 'empty', 'wallMs').toFixed(2);
  return {
    rows: [
      row('empty', 'node -e 0', null),
      row('spec', 'spec: CPU / node -e 0', { atMost: 1.6 }),
      row('check', 'check, with a server that answers at once: CPU / node -e 0', { atMost: 2.5 }),
      row('refused', 'check, of a config that is refused, so that nothing is asked: CPU / node -e 0', null),
    ],
    bars: [],
    notes: [`wall / node -e 0: spec ${wall('spec')}, check ${wall('check')}`],
  };
}

function node(name: string, ...args: string[]): Contender {
  return { name, command: process.execPath, args };
}
