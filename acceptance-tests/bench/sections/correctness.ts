import { execFile } from 'node:child_process';

import { startSandbox } from '../../sandbox/client.ts';
import type { FaultPlan, Scenario, ScenarioOptions } from '../../sandbox/client.ts';
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
    const { judged, exitCode } = await readOnce(bench, peer, scenario, { page_size: pageSize });
    return judged.lost.count === 0 ? '0' : `${judged.lost.count}, exit ${exitCode}`;
  };
  const trials: Readonly<Record<string, (peer: Peer) => Promise<string>>> = {
    'list that moves at random: rows lost; duplicated; altered': async (peer) => {
      const scenario = await assets(5000, {});
      const { base_url, close } = await moveBeforeRequests(scenario);
      const { judged, exitCode } = await readOnce(bench, peer, scenario, { base_url });
      close();
      const end = exitCode === 0 ? '' : `, exit ${exitCode}`;
      return `${judged.lost.count}; ${judged.repeated.count}; ${judged.altered.count}${end}`;
    },
    [`rows lost of 2,000 where the server cuts pages to ${CAP}`]: async (peer) =>
      lost(peer, await assets(2000, { assetsLimitCap: CAP }), 500),
    'rows lost of 1,000 at one page without `items`': async (peer) =>
      lost(peer, await faulty({ fault: 'emptyObject', at: 'middle', times: 1 }), PAGE),
    [`token requests for (check + read) × ${RUNS}`]: async (peer) => {
      const scenario = await assets(PAGE, {});
      for (let run = 0; run < RUNS; run++) {
        if (peer.hasCheck) await runOnce(bench, peer, 'check', sourceOf(scenario));
        await runOnce(bench, peer, 'read', sourceOf(scenario));
      }
      const { issued } = (await scenario.requests(0)).tokens;
      return peer.hasCheck ? String(issued) : `${issued}, has no check`;
    },
  };
  const dripping = async (peer: Peer): Promise<string> => {
    const scenario = await faulty({ fault: 'tricklingBody', at: 'first', times: 1 });
    const started = performance.now();
    const { exitCode } = await runOnce(bench, peer, 'read', sourceOf(scenario));
    const seconds = (performance.now() - started) / 1000;
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

function sourceOf({ config }: Scenario): Source {
  const { assets, alarms: _, ...account } = config;
  return { ...account, kind: 'assets', base_url: assets.base_url, page_size: PAGE };
}

/** A read, judged by the sandbox as it judges any client. */
async function readOnce(bench: Workbench, peer: Peer, scenario: Scenario, change: Partial<Source>) {
  const source = { ...sourceOf(scenario), ...change };
  await scenario.mark();
  const { stdout, exitCode } = await runOnce(bench, peer, 'read', source);
  const records = stdout.split('\n').filter((line) => line.startsWith('{"type":"RECORD"'));
  return { exitCode, judged: await scenario.verdict('assets', records.join('\n'), true) };
}

/** The exit code is null if it had to be ended. */
async function runOnce(bench: Workbench, peer: Peer, command: 'read' | 'check', source: Source) {
  const [program, ...args] = await peer.words(command, source);
  const { cwd, env } = bench.settings;
  const timeout = bench.sizes.patienceSeconds * 1000;
  const limits = { timeout, killSignal: 'SIGKILL', maxBuffer: 1 << 30 } as const;
  return new Promise<{ stdout: string; exitCode: number | null }>((resolve) => {
    const options = { cwd, env: { ...env, SHOW_ROWS: '1' }, ...limits };
    const child = execFile(program, args, options, (_error, stdout) => {
      resolve({ stdout, exitCode: child.exitCode });
    });
  });
}
