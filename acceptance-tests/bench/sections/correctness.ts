import { execFile } from 'node:child_process';
import { startSandbox } from '../../sandbox/client.ts';
import type { FaultPlan, OptionsPatch, Sandbox, Scenario } from '../../sandbox/client.ts';
import type { Peer } from '../peers/peers.ts';
import { grouped, type Group, type Line } from '../table.ts';
import type { Source, Workbench } from '../workbench.ts';

const PAGE = 100;
const CAP = 90;
const RUNS = 5;
const CHANGES = 5; // the maximum number of rows inserted or deleted before each request

type Trials = Readonly<Record<string, (peer: Peer) => Promise<string>>>;

/** Describes the output of the programs if the sandbox is difficult. */
export async function measureCorrectness(bench: Workbench, peers: readonly Peer[]): Promise<Group> {
  const sandbox = await startSandbox();
  try {
    const { timeout, ...trials } = trialsOf(bench, sandbox);
    // takes minutes, so it runs during the others, which are not timed
    const timeouts = Promise.all(peers.map((peer) => timeout(peer)));
    const lines: Line[] = [];
    for (const [what, trial] of Object.entries<Trials[string]>(trials)) {
      console.log(`correctness: ${what} …`);
      const cells: string[] = [];
      for (const peer of peers) cells.push(await trial(peer));
      lines.push({ what, cells });
    }
    lines.push({ what: 'seconds until a trickling body times out', cells: await timeouts });
    return { title: 'Peers: correctness', columns: peers.map(({ name }) => name), lines };
  } finally {
    await sandbox.stop();
  }
}

function trialsOf(bench: Workbench, sandbox: Sandbox) {
  const assets = (count: number, options: OptionsPatch): Promise<Scenario> =>
    sandbox.createScenario({ assets: count, alarms: 1, options: { ...options, tokenLimits: false } });
  const faulty = async (plan: FaultPlan): Promise<Scenario> => {
    const scenario = await assets(1000, {});
    await scenario.faults({ assets: plan });
    return scenario;
  };
  const lost = async (peer: Peer, scenario: Scenario, pageSize: number): Promise<string> => {
    const { judged, exitCode } = await readOnce(bench, peer, scenario, pageSize);
    return judged.lost.count === 0 ? '0' : `${grouped(judged.lost.count)}, exit ${exitCode}`;
  };
  return {
    'list that changes at random: rows lost; repeated; altered': async (peer: Peer) => {
      const scenario = await assets(5000, { assetsChanges: CHANGES });
      const { judged, exitCode } = await readOnce(bench, peer, scenario, PAGE);
      const end = exitCode === 0 ? '' : `, exit ${exitCode}`;
      return `${judged.lost.count}; ${judged.repeated.count}; ${judged.altered.count}${end}`;
    },
    [`rows lost of 2,000 if the server limits pages to ${CAP} rows`]: async (peer: Peer) =>
      lost(peer, await assets(2000, { assetsLimitCap: CAP }), 500),
    'rows lost of 1,000 if one page has no `items`': async (peer: Peer) =>
      lost(peer, await faulty({ fault: 'emptyObject', at: 'middle', times: 1 }), PAGE),
    [`token requests for ${RUNS} × (check + read)`]: async (peer: Peer) => {
      const scenario = await assets(PAGE, {});
      for (let run = 0; run < RUNS; run++) {
        if (peer.hasCheck) await runOnce(bench, peer, 'check', sourceOf(scenario, PAGE));
        await runOnce(bench, peer, 'read', sourceOf(scenario, PAGE));
      }
      const { issued } = (await scenario.requests(0)).tokens;
      return peer.hasCheck ? String(issued) : `${issued}, no check`;
    },
    timeout: async (peer: Peer) => {
      const scenario = await faulty({ fault: 'tricklingBody', at: 'first', times: 1 });
      const started = performance.now();
      const { exitCode } = await runOnce(bench, peer, 'read', sourceOf(scenario, PAGE));
      const seconds = (performance.now() - started) / 1000;
      return exitCode === null ? `over ${bench.sizes.timeoutSeconds}` : seconds.toFixed(0);
    },
  };
}

function sourceOf({ config }: Scenario, page_size: number): Source {
  const { assets, alarms: _, ...account } = config;
  return { ...account, kind: 'assets', base_url: assets.base_url, page_size };
}

async function readOnce(bench: Workbench, peer: Peer, scenario: Scenario, pageSize: number) {
  await scenario.mark();
  const { stdout, exitCode } = await runOnce(bench, peer, 'read', sourceOf(scenario, pageSize));
  const records = stdout.split('\n').filter((line) => line.startsWith('{"type":"RECORD"'));
  return { exitCode, judged: await scenario.verdict('assets', records.join('\n'), true) };
}

/** The exit code is null if the program was killed. */
async function runOnce(bench: Workbench, peer: Peer, name: 'read' | 'check', source: Source) {
  const [program, ...args] = await peer.command(name, source);
  const { cwd, env } = bench.settings;
  const timeout = bench.sizes.timeoutSeconds * 1000;
  const limits = { timeout, killSignal: 'SIGKILL', maxBuffer: 1 << 30 } as const;
  return new Promise<{ stdout: string; exitCode: number | null }>((resolve) => {
    const options = { cwd, env: { ...env, SHOW_ROWS: '1' }, ...limits };
    const child = execFile(program, args, options, (_error, stdout) => {
      resolve({ stdout, exitCode: child.exitCode });
    });
  });
}
