import { join } from 'node:path';
import type { Scenario } from '../sandbox/client.ts';
import { number } from './page.ts';
import { recordRun } from './recorded-run.ts';
import type { Recording } from './recorded-run.ts';
import { createRowLedger } from './row-ledger.ts';
import type { Findings, RowLedger } from './row-ledger.ts';

/** Where a read takes place. */
export interface ReadPlace {
  readonly world: Scenario;
  readonly folder: string;
  readonly configFile: string;
  /** Shows a passing line, in place of the one before. */
  readonly glimpse: (text: string) => void;
}

/** A read, counted and compared. */
export interface FinishedRead {
  readonly file: string;
  readonly recording: Recording;
  /** Rows emitted. */
  readonly rows: number;
  readonly assets: number;
  readonly alarms: number;
  /** Requests to the lists. */
  readonly requests: number;
  readonly tokens: number;
  /** Of the assets: alarms are compared over several reads. */
  readonly findings: Findings;
}

const rowsBetweenGlimpses = 5000;

/** Reads both streams into `{name}.jsonl`, from the state in `stateFile` if there is one; `alarms` takes the alarms. */
export async function readOnce(
  place: ReadPlace,
  name: string,
  stateFile: string | undefined,
  alarms: RowLedger,
  onRecord: () => Promise<void>,
): Promise<FinishedRead> {
  const { world, folder, configFile } = place;
  const file = join(folder, `${name}.jsonl`);
  const state = stateFile === undefined ? [] : ['--state', stateFile];
  const assets = createRowLedger();
  const before = alarms.count();
  let rows = 0;
  await world.clearRequests();
  const mark = await world.mark();
  const recording = await recordRun({
    args: ['read', '--config', configFile, ...state],
    folder,
    secret: world.config.client_secret,
    file,
    onRecord: async (stream, text) => {
      (stream === 'assets' ? assets : alarms).add(text);
      rows += 1;
      if (rows % rowsBetweenGlimpses === 0) place.glimpse(`reading: ${number(rows)} rows …`);
      await onRecord();
    },
  });
  const { endpoints, tokens } = await world.requests(0);
  place.glimpse('comparing the assets with the sandbox …');
  const findings = await assets.compare(
    world.groundTruthRows('assets', { since: mark }),
    world.groundTruthRows('assets', { lived: mark }),
  );
  const emitted = alarms.count() - before;
  return {
    file,
    recording,
    rows,
    assets: assets.count(),
    alarms: emitted,
    requests: endpoints.assets.count + endpoints.alarms.count,
    tokens: tokens.issued,
    findings,
  };
}
