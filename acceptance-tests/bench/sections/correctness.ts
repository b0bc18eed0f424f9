import { execFile } from 'node:child_process';

import { startSandbox } from '../../sandbox/client.ts';
import type { FaultPlan, Sandbox, Scenario, ScenarioOptions } from '../../sandbox/client.ts';
import { truthTexts } from '../../support/compare-rows.ts';
import { judgeRows } from '../peers/judge-rows.ts';
import { moveBeforeRequests } from '../peers/moving-list.ts';
import type { Command, Peer } from '../peers/peers.ts';
import type { Group, Line } from '../report/lines.ts';
import type { Source, Workbench } from '../workbench.ts';

const PAGE = 100;
const CAP = 90;
const RUNS = 5;
const MOST_OUTPUT = 1 << 30;

/** How a run ended, and the rows that it gave. The exit code is null if it had to be ended. */
interface Outcome {
  readonly rows: readonly string[];
  readonly rowAt: readonly string[];
  readonly exitCode: number | null;
  readonly seconds: number;
}

/** What a program makes of a difficulty, in words for the table. */
type Trial = (peer: Peer) => Promise<string>;

/** What each of the programs makes of the sandbox when it is difficult. */
export async function measureCorrectness(bench: Workbench, peers: readonly Peer[]): Promise<Group> {
  const sandbox = await startSandbox();
  const trials = trialsIn(bench, sandbox);
  try {
    // it waits for minutes, beside the others, of which none is timed
    const given = Promise.all(peers.map(trials.dripping));
    const lines: Line[] = [];
    for (const [what, trial] of [
      ['list that moves at random: rows lost; doubled; altered', trials.moving],
      [`rows lost of 2,000 where the server cuts pages to ${CAP}`, trials.capped],
      ['rows lost of 1,000 at one page without `items`', trials.itemless],
      [`token requests for (check + read) × ${RUNS}`, trials.tokens],
    ] as const) {
      bench.say(`correctness: ${what} …`);
      const cells: string[] = [];
      for (const peer of peers) cells.push(await trial(peer));
      lines.push({ what, cells });
    }
    lines.push({ what: 'seconds until a dripping body is given up', cells: await given });
    return { title: 'Peers: correctness', columns: peers.map(({ name }) => name), lines };
  } finally {
    await sandbox.stop();
  }
}

function trialsIn(
  bench: Workbench,
  sandbox: Sandbox,
): Readonly<Record<'moving' | 'capped' | 'itemless' | 'tokens' | 'dripping', Trial>> {
  const scenarioOf = async (assets: number, options: ScenarioOptions['options']): Promise<Scenario> =>
    sandbox.createScenario({ assets, alarms: 1, options: { ...options, tokenLimits: false } });
  const faulty = async (plan: FaultPlan): Promise<Scenario> => {
    const scenario = await scenarioOf(1000, {});
    await scenario.faults({ assets: plan });
    return scenario;
  };
  const lost = async (peer: Peer, scenario: Scenario, pageSize: number): Promise<string> => {
    const { rows, rowAt, exitCode } = await runOnce(bench, peer, 'read', sourceOf(scenario, pageSize));
    const { lost: count } = judgeRows(rows, rowAt, ...(await truthOf(scenario)));
    return count === 0 ? '0' : `${count}, exit ${exitCode}`;
  };
  return {
    moving: async (peer) => {
      const scenario = await scenarioOf(5000, {});
      const relay = await moveBeforeRequests(scenario);
      const source = { ...sourceOf(scenario, PAGE), baseUrl: relay.baseUrl };
      const { rows, rowAt, exitCode } = await runOnce(bench, peer, 'read', source);
      await relay.close();
      const judged = judgeRows(rows, rowAt, ...(await truthOf(scenario)));
      const end = exitCode === 0 ? '' : `, exit ${exitCode}`;
      return `${judged.lost}; ${judged.doubled}; ${judged.altered}${end}`;
    },
    capped: async (peer) => lost(peer, await scenarioOf(2000, { assetsLimitCap: CAP }), 500),
    itemless: async (peer) =>
      lost(peer, await faulty({ fault: 'emptyObject', at: 'middle', times: 1 }), PAGE),
    tokens: async (peer) => {
      const scenario = await scenarioOf(PAGE, {});
      const commands: Command[] = peer.hasCheck ? ['check', 'read'] : ['read'];
      for (let round = 0; round < RUNS; round++)
        for (const command of commands) await runOnce(bench, peer, command, sourceOf(scenario, PAGE));
      const { issued } = (await scenario.requests(0)).tokens;
      return `${issued}${peer.hasCheck ? '' : ', has no check'}`;
    },
    dripping: async (peer) => {
      const scenario = await faulty({ fault: 'tricklingBody', at: 'first', times: 1 });
      const { exitCode, seconds } = await runOnce(bench, peer, 'read', sourceOf(scenario, PAGE));
      return exitCode === null ? `over ${bench.sizes.patienceSeconds}` : seconds.toFixed(0);
    },
  };
}

function sourceOf({ config }: Scenario, pageSize: number): Source {
  const { auth_url, client_id, client_secret, assets } = config;
  const account = { auth_url, client_id, client_secret };
  return { kind: 'assets', baseUrl: assets.base_url, pageSize, account };
}

/** All rows that ever were, and those that were there from the start to the end. */
async function truthOf(scenario: Scenario): Promise<[string[], string[]]> {
  return [
    await truthTexts(scenario, 'assets', { lived: 0 }),
    await truthTexts(scenario, 'assets', { since: 0 }),
  ];
}

async function runOnce(bench: Workbench, peer: Peer, command: Command, source: Source): Promise<Outcome> {
  const { command: program, args, rows, rowAt } = await peer.run(command, source);
  const { cwd, env } = bench.settings;
  const timeout = bench.sizes.patienceSeconds * 1000;
  const started = performance.now();
  const { stdout, exitCode } = await new Promise<{ stdout: string; exitCode: number | null }>((resolve) => {
    const options = { cwd, env, timeout, killSignal: 'SIGKILL', maxBuffer: MOST_OUTPUT } as const;
    const child = execFile(program, args, options, (_error, printed) => {
      resolve({ stdout: printed, exitCode: child.exitCode });
    });
  });
  return { rows: await rows(stdout), rowAt, exitCode, seconds: (performance.now() - started) / 1000 };
}
