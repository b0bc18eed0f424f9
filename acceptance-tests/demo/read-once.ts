import { hash } from 'node:crypto';
import { compareRows } from '../support/compare-rows.ts';
import type { RowDifferences } from '../support/compare-rows.ts';
import { recordRun } from './recorded-run.ts';
import type { DemoPlace, Recording } from './recorded-run.ts';

/** A read, counted and compared. */
export interface FinishedRead {
  readonly recording: Recording;
  /** Rows emitted, as fingerprints, which take less memory than their texts. */
  readonly assets: readonly string[];
  readonly alarms: readonly string[];
  /** Requests to the lists. */
  readonly requests: number;
  readonly tokens: number;
  /** Of the assets: alarms are compared over several reads. */
  readonly findings: RowDifferences;
}

/** Reads both streams into `{name}.jsonl`, from the state in `stateFile` if there is one. */
export async function readOnce(
  place: DemoPlace,
  name: string,
  stateFile: string | undefined,
  onRecord: (records: number) => Promise<void>,
): Promise<FinishedRead> {
  const { world, configFile } = place;
  const state = stateFile === undefined ? [] : ['--state', stateFile];
  const [assets, alarms]: [string[], string[]] = [[], []];
  await world.clearRequests();
  const mark = await world.mark();
  const args = ['read', '--config', configFile, ...state];
  const recording = await recordRun(place, name, args, async (stream, text) => {
    (stream === 'assets' ? assets : alarms).push(fingerprint(text));
    await onRecord(assets.length + alarms.length);
  });
  const { endpoints, tokens } = await world.requests(0);
  const throughout = world.groundTruthRows('assets', { since: mark });
  const lived = world.groundTruthRows('assets', { lived: mark });
  const findings = await compareRows(assets, fingerprints(throughout), fingerprints(lived));
  const requests = endpoints.assets.count + endpoints.alarms.count;
  return { recording, assets, alarms, requests, tokens: tokens.issued, findings };
}

/** The fingerprints of rows of the truth. */
export async function* fingerprints(rows: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const row of rows) yield fingerprint(row);
}

function fingerprint(text: string): string {
  return hash('sha256', text, 'base64').slice(0, 16);
}
