import { findPeers, ourselves, type Peer } from '../peers/peers.ts';
import type { ListName } from '../server.ts';
import { grouped, seconds, verdict, type Group, type Line } from '../table.ts';
import type { Workbench } from '../workbench.ts';
import { measureCorrectness } from './correctness.ts';

/** Loads, with the minimum CPU ratio of each peer. */
const LOADS: readonly (readonly [list: ListName, name: string, pageSize: number, min: number | null])[] = [
  ['assets', 'assets', 500, 10],
  ['assets', 'assets', 25, null],
  ['narrowAssets', 'narrow assets', 500, null],
  ['narrowAssets', 'narrow assets', 25, null],
  ['alarms', 'alarms', 100, null],
  ['alarms', 'alarms', 25, null],
  ['tenAlarms', 'alarms with ten members', 25, null],
  ['narrowAlarms', 'narrow alarms', 100, null],
  ['narrowAlarms', 'narrow alarms', 25, 4],
];
/** A peer that is faster with small rows than the others has a lower target there. */
const minOf = (min: number, { name }: Peer): number => (min === 4 && name.startsWith('Meltano') ? 2.5 : min);

/** Compares the peers on the same server and rows, and their output if the server is difficult. */
export async function measurePeers(bench: Workbench): Promise<Group[]> {
  const peers = await findPeers(bench);
  const us = ourselves(bench);
  const all = [us, ...peers];
  const lines: Line[] = [];
  for (const load of LOADS) lines.push(...(await linesOf(bench, us, peers, load)));
  lines.push({ what: 'additional work', cells: all.map(({ additionalWork }) => additionalWork) });
  const columns = all.map(({ name }) => name);
  const title = `Peers: CPU for ${grouped(bench.sizes.peerRows[1])} rows, relative to this connector; without start-up`;
  return [{ title, columns, lines }, await measureCorrectness(bench, all)];
}

async function linesOf(
  bench: Workbench,
  us: Peer,
  peers: readonly Peer[],
  [list, name, pageSize, min]: (typeof LOADS)[number],
): Promise<Line[]> {
  const [few, many] = bench.sizes.peerRows;
  const what = `${name}, pages of ${pageSize}`;
  // default settings are shown once
  const defaults = min === 10 ? peers.flatMap(({ withDefaults }) => withDefaults ?? []) : [];
  const cpuMs = async (rows: number): Promise<(peer: Peer) => number> => {
    console.log(`peers: ${grouped(rows)} ${what} …`);
    const source = bench.source(list, rows, 0, pageSize);
    // the connector runs before each peer, because the load of the machine changes
    const turns = [...peers, ...defaults].flatMap((peer) => [us, peer]);
    const commands = turns.map(async (peer) => [peer.name, await peer.command('read', source)] as const);
    const { median } = await bench.compare(await Promise.all(commands), 1);
    return (peer) => median(peer.name, 'cpuMs');
  };
  const [ofFew, ofMany] = [await cpuMs(few), await cpuMs(many)];
  const times = (peer: Peer): number => ofMany(peer) / ofMany(us);
  const perRow = (peer: Peer): number => (ofMany(peer) - ofFew(peer)) / (many - few);
  const cellOf = (peer: Peer): string => {
    const cell = `${times(peer).toFixed(1)}; ${(perRow(peer) / perRow(us)).toFixed(1)}`;
    return min === null ? cell : `${cell}; ${verdict(times(peer), ['at least', minOf(min, peer)])}`;
  };
  const own = `${seconds(ofMany(us))}; ${(perRow(us) * 1000).toFixed(1)} µs per row`;
  const values = Object.fromEntries(peers.map((peer) => [peer.name, times(peer)]));
  const bars = Object.fromEntries([us, ...peers].map((peer) => [peer.name, (ofMany(peer) / many) * 100]));
  const line = { what, cells: [own, ...peers.map(cellOf)], values, bars };
  if (defaults.length === 0) return [line];
  const cells = peers.map(({ withDefaults }) =>
    withDefaults === undefined ? '' : times(withDefaults).toFixed(1),
  );
  return [line, { what: '… with default settings (gzip)', cells: ['', ...cells] }];
}
