import { compete } from '../contest.ts';
import { findPeers, ourselves } from '../peers/peers.ts';
import type { Peer } from '../peers/peers.ts';
import { seconds, verdict, words } from '../report/lines.ts';
import type { Bar, Findings, Line } from '../report/lines.ts';
import type { ListName } from '../server/api.ts';
import type { Workbench } from '../workbench.ts';
import { measureCorrectness } from './correctness.ts';

interface Load {
  readonly list: ListName;
  readonly name: string;
  readonly pageSize: number;
  /** Times our CPU for each peer. */
  readonly target: { readonly atLeast: number } | null;
}

const LOADS: readonly Load[] = [
  { list: 'assets', name: 'assets', pageSize: 500, target: { atLeast: 10 } },
  { list: 'narrowAssets', name: 'narrow assets', pageSize: 500, target: null },
  { list: 'alarms', name: 'alarms', pageSize: 100, target: null },
  { list: 'alarms', name: 'alarms', pageSize: 25, target: null },
  { list: 'narrowAlarms', name: 'narrow alarms', pageSize: 100, target: null },
  { list: 'narrowAlarms', name: 'narrow alarms', pageSize: 25, target: null },
];

/** What one size of a load costs each program, in ms. */
type Cost = (peer: Peer, figure: 'cpuMs' | 'wallMs') => number;

/** The peers on the same server and the same rows: their speed, and what they make of a server that is difficult. */
export async function measurePeers(bench: Workbench): Promise<Findings> {
  const peers = await findPeers(bench);
  const us = ourselves(bench);
  const [few, many] = bench.sizes.peerRows;
  const lines: Line[] = [];
  const bars: Bar[] = [];
  for (const load of LOADS) {
    // the form in which a peer comes is shown once
    const other = load.target === null ? [] : peers.flatMap(({ asItComes }) => asItComes ?? []);
    const ofFew = await costOf(bench, load, few, us, [...peers, ...other]);
    const ofMany = await costOf(bench, load, many, us, [...peers, ...other]);
    const times = (peer: Peer): number => ofMany(peer, 'cpuMs') / ofMany(us, 'cpuMs');
    const perRow = (peer: Peer): number => (ofMany(peer, 'cpuMs') - ofFew(peer, 'cpuMs')) / (many - few);
    const asItComes = peers.map((peer) =>
      peer.asItComes === undefined ? '' : times(peer.asItComes).toFixed(1),
    );
    const name = `${load.name}, pages of ${load.pageSize}`;
    const cellOf = (peer: Peer): string =>
      [times(peer).toFixed(1), (perRow(peer) / perRow(us)).toFixed(1), verdict(times(peer), load.target)]
        .filter((part) => part !== '')
        .join('; ');
    lines.push(
      {
        what: name,
        cells: [
          `${seconds(ofMany(us, 'cpuMs'))}; ${(perRow(us) * 1000).toFixed(1)} µs a row`,
          ...peers.map(cellOf),
        ],
        values: Object.fromEntries(peers.map((peer) => [peer.name, times(peer)])),
      },
      ...(other.length === 0 ? [] : [{ what: '… as it comes, with gzip', cells: ['', ...asItComes] }]),
    );
    for (const peer of [us, ...peers])
      bars.push({ load: name, label: peer.name, value: (ofMany(peer, 'cpuMs') / many) * 100 });
  }
  lines.push({ what: 'does beside', cells: [us, ...peers].map((peer) => peer.beyond) });
  const columns = [us, ...peers].map((peer) => peer.name);
  const title = `Peers: CPU for ${words(many)} rows, times ours; without start-up`;
  return { groups: [{ title, columns, lines }, await measureCorrectness(bench, [us, ...peers])], bars };
}

/** Runs ourselves before each other one: the load of the machine changes in the minutes that all of them take. */
async function costOf(
  bench: Workbench,
  { list, name, pageSize }: Load,
  rows: number,
  us: Peer,
  others: readonly Peer[],
): Promise<Cost> {
  bench.say(`peers: ${words(rows)} ${name}, pages of ${pageSize} …`);
  const source = bench.source(list, rows, 0, pageSize);
  const contenders = await Promise.all(
    others
      .flatMap((peer) => [us, peer])
      .map(async (peer) => ({ name: peer.name, ...(await peer.run('read', source)) })),
  );
  const contest = await compete(contenders, 1, bench.settings);
  return ({ name: who }, figure) => contest.median(who, figure);
}
