import { findPeers, ourselves } from '../peers/peers.ts';
import type { Peer } from '../peers/peers.ts';
import { seconds, verdict, words } from '../report.ts';
import type { Group, Line } from '../report.ts';
import type { ListName } from '../server.ts';
import type { Workbench } from '../workbench.ts';
import { measureCorrectness } from './correctness.ts';

/** Loads, and times our CPU for each peer. */
const LOADS: readonly (readonly [list: ListName, name: string, pageSize: number, least: number | null])[] = [
  ['assets', 'assets', 500, 10],
  ['assets', 'assets', 25, null],
  ['narrowAssets', 'narrow assets', 500, null],
  ['narrowAssets', 'narrow assets', 25, null],
  ['alarms', 'alarms', 100, null],
  ['alarms', 'alarms', 25, null],
  ['tenAlarms', 'alarms of ten members', 25, null],
  ['narrowAlarms', 'narrow alarms', 100, null],
  ['narrowAlarms', 'narrow alarms', 25, 4],
];
/** A peer that is faster with small rows than the others is held to less there. */
const leastOf = (least: number, { name }: Peer): number =>
  least === 4 && name.startsWith('Meltano') ? 2.5 : least;

/** The peers on the same server and the same rows: their speed, and what they make of a server that is difficult. */
export async function measurePeers(bench: Workbench): Promise<Group[]> {
  const peers = await findPeers(bench);
  const us = ourselves(bench);
  const all = [us, ...peers];
  const [few, many] = bench.sizes.peerRows;
  const lines: Line[] = [];
  for (const [list, name, pageSize, least] of LOADS) {
    const what = `${name}, pages of ${pageSize}`;
    // the form in which a peer comes is shown once
    const others = least !== 10 ? [] : peers.flatMap(({ asItComes }) => asItComes ?? []);
    const cpuMs = async (rows: number): Promise<(peer: Peer) => number> => {
      console.log(`peers: ${words(rows)} ${what} …`);
      const source = bench.source(list, rows, 0, pageSize);
      // ourselves before each other one: the load of the machine changes in the minutes that all of them take
      const turns = [...peers, ...others].flatMap((peer) => [us, peer]);
      const contenders = turns.map(async (peer) => [peer.name, await peer.words('read', source)] as const);
      const { median } = await bench.compete(await Promise.all(contenders), 1);
      return (peer) => median(peer.name, 'cpuMs');
    };
    const [ofFew, ofMany] = [await cpuMs(few), await cpuMs(many)];
    const times = (peer: Peer): number => ofMany(peer) / ofMany(us);
    const perRow = (peer: Peer): number => (ofMany(peer) - ofFew(peer)) / (many - few);
    const cellOf = (peer: Peer): string => {
      const cell = `${times(peer).toFixed(1)}; ${(perRow(peer) / perRow(us)).toFixed(1)}`;
      if (least === null) return cell;
      return `${cell}; ${verdict(times(peer), ['at least', leastOf(least, peer)])}`;
    };
    const ours = `${seconds(ofMany(us))}; ${(perRow(us) * 1000).toFixed(1)} µs a row`;
    const values = Object.fromEntries(peers.map((peer) => [peer.name, times(peer)]));
    const bars = Object.fromEntries(all.map((peer) => [peer.name, (ofMany(peer) / many) * 100]));
    lines.push({ what, cells: [ours, ...peers.map(cellOf)], values, bars });
    const gzipped = peers.map(({ asItComes }) =>
      asItComes === undefined ? '' : times(asItComes).toFixed(1),
    );
    if (others.length > 0) lines.push({ what: '… as it comes, with gzip', cells: ['', ...gzipped] });
  }
  lines.push({ what: 'does beside', cells: all.map((peer) => peer.beyond) });
  const columns = all.map((peer) => peer.name);
  const title = `Peers: CPU for ${words(many)} rows, times ours; without start-up`;
  return [{ title, columns, lines }, await measureCorrectness(bench, all)];
}
