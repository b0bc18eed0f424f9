import { compete, script } from '../contest.ts';
import type { Contender } from '../contest.ts';
import { measure } from '../measure.ts';
import type { SectionResult, TableRow } from '../report-types.ts';
import type { Kind } from '../server/row-texts.ts';
import type { Workbench } from '../workbench.ts';

interface Load {
  readonly kind: Kind;
  readonly pageSize: number;
  /** Requests that the floor has in flight. */
  readonly inFlight: number;
}

/** The default of assets; alarms as the example in docs/api.md caps them, and in pages that cost less to fetch. */
const LOADS: readonly Load[] = [
  { kind: 'assets', pageSize: 500, inFlight: 4 },
  { kind: 'alarms', pageSize: 25, inFlight: 1 },
  { kind: 'alarms', pageSize: 500, inFlight: 1 },
];
const FLOOR_TARGET = { atMost: 1.6 };
const PLAIN_TARGET = { atMost: 0.35 };

/** a) CPU and wall for a million rows at no latency, against the floor and against a plain reader. */
export async function measureThroughput(bench: Workbench): Promise<SectionResult> {
  const results: SectionResult[] = [];
  for (const load of LOADS) results.push(await measureLoad(bench, load));
  return {
    rows: results.flatMap(({ rows }) => rows),
    bars: results.flatMap(({ bars }) => bars),
    notes: results.flatMap(({ notes }) => notes),
  };
}

async function measureLoad(bench: Workbench, { kind, pageSize, inFlight }: Load): Promise<SectionResult> {
  const { sizes, settings, server } = bench;
  const { rows } = sizes;
  const name = `${kind}, pages of ${pageSize}`;
  bench.say(`a) ${name} …`);
  const base = bench.baseUrl({ rows, latencyMs: 0, pageSize });
  const ours = await bench.reader('connector', kind, base, { list: { page_size: pageSize } });
  // the first run fills what caches there are, and says how much is written
  const first = await measure(ours.command, ours.args, settings);
  // beside the records there are a few messages
  if (first.lines < rows || first.lines > rows + 100)
    throw new Error(`${name}: ${rows} rows were served, ${first.lines} lines written`);
  const contenders: readonly Contender[] = [
    ours,
    script('floor', [base, kind, rows, pageSize, inFlight, first.bytes]),
    script('plain reader', [base, kind, pageSize]),
  ];
  const notes: string[] = [];
  for (const { name: who, command, args } of contenders) {
    await server.figures();
    const { wallMs } = await measure(command, args, settings);
    const { requests, bytes, busy } = await server.figures();
    notes.push(
      `server, ${name}, ${who}: ${requests} requests, ${Math.round(bytes / wallMs / 1000)} MB/s, ` +
        `busy ${Math.round(busy * 100)} % of the time`,
    );
  }
  const contest = await compete(contenders, sizes.rounds, settings);
  const perMillion = (who: string, figure: 'cpuMs' | 'wallMs'): number =>
    (contest.median(who, figure) / rows) * 1000;
  const figure = (who: string): string =>
    `${perMillion(who, 'cpuMs').toFixed(2)} s CPU, ${perMillion(who, 'wallMs').toFixed(2)} s wall`;
  const row = (what: string, words: string, rest: Pick<TableRow, 'ratio' | 'target'>): TableRow => ({
    section: 'a',
    what: `${name}: ${what}`,
    figure: words,
    ...rest,
  });
  return {
    rows: [
      row('connector, a million rows', figure('connector'), { ratio: null, target: null }),
      row('CPU / floor', figure('floor'), {
        ratio: contest.ratio('connector', 'floor', 'cpuMs'),
        target: FLOOR_TARGET,
      }),
      row('CPU / plain reader', figure('plain reader'), {
        ratio: contest.ratio('connector', 'plain reader', 'cpuMs'),
        target: PLAIN_TARGET,
      }),
      row('wall / plain reader', '', {
        ratio: contest.ratio('connector', 'plain reader', 'wallMs'),
        target: null,
      }),
    ],
    bars: contenders.map(({ name: who }) => ({ label: `${name}: ${who}`, value: perMillion(who, 'cpuMs') })),
    notes,
  };
}
