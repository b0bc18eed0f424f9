import { execFile } from 'node:child_process';

import { startSandbox } from '../../sandbox/client.ts';
import type { FaultPlan, Scenario, ScenarioOptions } from '../../sandbox/client.ts';
import { truthTexts } from '../../support/compare-rows.ts';
import { judgeRows } from '../peers/judge-rows.ts';
import { moveBeforeRequests } from '../peers/moving-list.ts';
import type { Peer } from '../peers/peers.ts';
import type { Group, Line } from '../report.ts';
import type { Source, Workbench } from '../workbench.ts';

const PAGE = 100;
const CAP = 90;
const RUNS = 5;

/** What each of the programs makes of the sandbox when it is difficult, in words for the table. */
export async function measureCorrectness(bench: Workbench, peers: readonly Peer[]): Promise<Group> {
  const sandbox = await startSandbox();
  const assets = (count: number, options: ScenarioOptions['options']): Promise<Scenario> =>
    sandbox.createScenario({ assets: count, alarms: 1, options: { ...options, tokenLimits: false } });
  const faulty = async (plan: FaultPlan): Promise<Scenario> => {
    const scenario = await assets(1000, {});
    await scenario.faults({ assets: plan });
    return scenario;
  };
  const lost = async (peer: Peer, scenario: Scenario, pageSize: number): Promise<string> => {
    const { rows, exitCode } = await runOnce(bench, peer, 'read', sourceOf(scenario, pageSize));
    const { lost: count } = await judge(rows, scenario);
    return count === 0 ? '0' : `${count}, exit ${exitCode}`;
  };
  const trials: Readonly<Record<string, (peer: Peer) => Promise<string>>> = {
    'list that moves at random: rows lost; doubled; altered': async (peer) => {
      const scenario = await assets(5000, {});
      const { base_url, close } = await moveBeforeRequests(scenario);
      const { rows, exitCode } = await runOnce(bench, peer, 'read', {
        ...sourceOf(scenario, PAGE),
        base_url,
      });
      close();
      const { lost: missing, doubled, altered } = await judge(rows, scenario);
      return `${missing}; ${doubled}; ${altered}${exitCode === 0 ? '' : `, exit ${exitCode}`}`;
    },
    [`rows lost of 2,000 where the server cuts pages to ${CAP}`]: async (peer) =>
      lost(peer, await assets(2000, { assetsLimitCap: CAP }), 500),
    'rows lost of 1,000 at one page without `items`': async (peer) =>
      lost(peer, await faulty({ fault: 'emptyObject', at: 'middle', times: 1 }), PAGE),
    [`token requests for (check + read) × ${RUNS}`]: async (peer) => {
      const scenario = await assets(PAGE, {});
      for (let run = 0; run < RUNS; run++)
        for (const command of peer.hasCheck ? (['check', 'read'] as const) : (['read'] as const))
          await runOnce(bench, peer, command, sourceOf(scenario, PAGE));
      const { issued } = (await scenario.requests(0)).tokens;
      return peer.hasCheck ? String(issued) : `${issued}, has no check`;
    },
  };
  const dripping = async (peer: Peer): Promise<string> => {
    const scenario = await faulty({ fault: 'tricklingBody', at: 'first', times: 1 });
    const { exitCode, seconds } = await runOnce(bench, peer, 'read', sourceOf(scenario, PAGE));
    return exitCode === null ? `over ${bench.sizes.patienceSeconds}` : seconds.toFixed(0);
  };
  try {
    // it waits for minutes, beside the others, of which none is timed
    const givenUp = Promise.all(peers.map(dripping));
    const lines: Line[] = [];
    for (const [what, trial] of Object.entries(trials)) {
      console.log(`correctness: ${what} …`);
      const cells: string[] = [];
      for (const peer of peers) cells.push(await trial(peer));
      lines.push({ what, cells });
    }
    lines.push({ what: 'seconds until a dripping body is given up', cells: await givenUp });
    return { title: 'Peers: correctness', columns: peers.map(({ name }) => name), lines };
  } finally {
    await sandbox.stop();
  }
}

function sourceOf({ config }: Scenario, pageSize: number): Source {
  const { auth_url, client_id, client_secret, assets } = config;
  return {
    kind: 'assets',
    base_url: assets.base_url,
    page_size: pageSize,
    auth_url,
    client_id,
    client_secret,
  };
}

/** Against all rows that ever were, and those that were there from the start to the end. */
async function judge(rows: readonly string[], scenario: Scenario): Promise<ReturnType<typeof judgeRows>> {
  const sources = await truthTexts(scenario, 'assets', { lived: 0 });
  return judgeRows(rows, sources, await truthTexts(scenario, 'assets', { since: 0 }));
}

/** How a run ended, and its lines with rows. The exit code is null if it had to be ended. */
interface Outcome {
  readonly rows: readonly string[];
  readonly exitCode: number | null;
  readonly seconds: number;
}

async function runOnce(
  bench: Workbench,
  peer: Peer,
  command: 'read' | 'check',
  source: Source,
): Promise<Outcome> {
  const [program, ...args] = await peer.words(command, source);
  const { cwd, env } = bench.settings;
  const timeout = bench.sizes.patienceSeconds * 1000;
  const started = performance.now();
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...env, SHOW_ROWS: '1' },
      timeout,
      killSignal: 'SIGKILL',
      maxBuffer: 1 << 30,
    } as const;
    const child = execFile(program, args, options, (_error, stdout) => {
      const rows = stdout.split('\n').filter((line) => line.startsWith('{"type":"RECORD"'));
      resolve({ rows, exitCode: child.exitCode, seconds: (performance.now() - started) / 1000 });
    });
  });
}
