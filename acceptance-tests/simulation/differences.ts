import { errors } from '../support/run-views.ts';
import type { DimensionName } from './answers.ts';
import { hasWrongField, isComplete, type RunRecord } from './run-record.ts';

/** The dimensions of a read and of its input whose answers made a difference. */
export function differencesOf(run: RunRecord): readonly DimensionName[] {
  const { plan, scenario, given, api, emitted } = run;
  const { alarms } = plan;
  const [hasAlarms, hasAssets] = [scenario.streams.includes('alarms'), scenario.streams.includes('assets')];
  const hasState = given.has('alarms');
  const rows = emitted.alarms.length + emitted.assets.length;
  const bounds = new Set(api.alarms.served.map(({ asked }) => asked));
  const totals = api.assets.served.map(({ total }) => total ?? 0);
  const isShort = isComplete(run, 'assets') && Math.min(...totals) > emitted.assets.length;
  const isTooShort = errors(run).some(({ internal_message }) => internal_message?.startsWith('TOO_FEW'));
  const differences: Partial<Record<DimensionName, boolean>> = {
    streams: true,
    furtherLists: run.whole.lines.length > run.lines.length,
    reads: true,
    localClock: scenario.skewMs !== 0,
    latency: scenario.network.maxMs > 0,
    handover: given.size > 0,
    keyAlone: plan.isKeyAlone && hasState,
    syncMode: plan.isFull && hasState,
    rowLimit: rows > 0 && rows === plan.limitRows,
    gap: plan.gapMs > 0,
    changes: plan.changes > 0,
    catalog: !plan.hasCatalog,
    assetPageSize: hasAssets,
    concurrency: hasAssets,
    stateEvery: rows > 0,
    missingRows: isShort,
    minRows: isTooShort,
    alarmPageSize: hasAlarms && alarms.page_size !== undefined,
    chains: bounds.size > 1,
    startDate: hasState && alarms.start_date !== undefined,
    endDate: hasState && scenario.runs.some((other) => other.alarms.end_date !== alarms.end_date),
    createdField: hasAlarms && hasWrongField(run),
    idField: emitted.alarms.length > 0,
    lookback: hasState,
  };
  const names = Object.keys(differences) as DimensionName[];
  return names.filter((name) => differences[name]);
}
