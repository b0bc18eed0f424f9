import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { NotAvailable } from '../../platforms/python-environment.ts';
import { compete } from '../contest.ts';
import { judgeRows } from '../peers/judge-rows.ts';
import type { Judgement } from '../peers/judge-rows.ts';
import { airbyteCdk, dlt, meltanoTap, ourselves } from '../peers/peers.ts';
import type { Peer } from '../peers/peers.ts';
import type { SectionResult, TableRow } from '../report-types.ts';
import type { Workbench } from '../workbench.ts';

const PAGE = 500;
/** Of the list that moves: small, so that it moves often. */
const MOVING_PAGE = 100;
const ROUNDS = 3;
const TARGET = { atLeast: 10 };
const MOST_OUTPUT = 1 << 30;

/** e) The peers on the same server and the same rows: speed, and what they make of a list that moves. */
export async function measurePeers(bench: Workbench): Promise<SectionResult> {
  const notes: string[] = [];
  const peers: Peer[] = [];
  for (const install of [airbyteCdk(bench), dlt(bench), meltanoTap(bench)])
    try {
      peers.push(await install());
    } catch (error) {
      if (!(error instanceof NotAvailable)) throw error;
      notes.push(`a peer was left out: ${error.message}`);
    }
  const us = ourselves(bench);
  const everybody = [us, ...peers];
  bench.say(`e) ${everybody.map(({ name }) => name).join('; ')} …`);
  const rows = bench.sizes.peerRows;
  const base = bench.baseUrl({ rows, latencyMs: 0, pageSize: PAGE });
  const runs = await Promise.all(everybody.map((peer) => peer.run(base, PAGE)));
  const contest = await compete(
    runs.map(({ contender }) => contender),
    ROUNDS,
    bench.settings,
  );
  const perSecond = (name: string): number => (rows / contest.median(name, 'cpuMs')) * 1000;
  const table = everybody.map(({ name }): TableRow => {
    const isUs = name === us.name;
    return {
      section: 'e',
      what: isUs ? `${name}, ${rows} assets` : `rows per CPU second / ${name}`,
      figure: `${Math.round(perSecond(name))} rows per CPU second`,
      ratio: isUs ? null : contest.ratio(name, us.name, 'cpuMs'),
      target: isUs ? null : TARGET,
    };
  });
  for (const peer of everybody) {
    bench.say(`e) the list moves: ${peer.name} …`);
    const judgement = await readMovingList(bench, peer);
    table.push({
      section: 'e',
      what: `a list that moves: ${peer.name}`,
      figure: describe(judgement),
      ratio: null,
      target: null,
    });
  }
  const bars = peers.map(({ name }) => ({
    label: `assets, pages of ${PAGE}: ${name}`,
    value: 1e6 / perSecond(name),
  }));
  return { rows: table, bars, notes };
}

async function readMovingList(bench: Workbench, peer: Peer): Promise<Judgement> {
  const base = `${bench.server.origin}/moving/${peer.name.replaceAll(/\W/g, '')}`;
  const { contender, rows } = await peer.run(base, MOVING_PAGE);
  const { stdout } = await promisify(execFile)(contender.command, contender.args, {
    ...bench.settings,
    maxBuffer: MOST_OUTPUT,
  });
  const { throughout, texts } = await truthOf(base);
  return judgeRows(await rows(stdout), texts, throughout);
}

/** What the server says of its moving list now: the ids of the rows that were there throughout, and all texts by id. */
async function truthOf(
  base: string,
): Promise<{ readonly throughout: readonly string[]; readonly texts: ReadonlyMap<string, string> }> {
  const answer = await fetch(`${base}/truth`);
  const [ids = '[]', ...rows] = (await answer.text()).split('\n');
  return {
    throughout: JSON.parse(ids) as string[],
    texts: new Map(rows.map((text) => [(JSON.parse(text) as { assetId: string }).assetId, text])),
  };
}

function describe({ rows, lost, doubled, numbers, rewritten, altered, example }: Judgement): string {
  const digits =
    rewritten + altered === 0
      ? `all ${numbers} numbers as sent`
      : `${rewritten} of ${numbers} numbers written anew, ${altered} altered (${example})`;
  return `${lost} of ${rows} rows lost, ${doubled} doubled; ${digits}`;
}
