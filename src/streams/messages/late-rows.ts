// All texts about rows of lists by cursor that appear late.
import { MAX_LOOKBACK_SECONDS } from '../../limits.ts';
import type { Counts } from '../../paging/cursor/list.ts';
import { DAY, MS, type Instant } from '../../paging/instant.ts';
import type { CursorListConfig } from '../../generated/config.generated.ts';
import { counted, grouped, quoted } from '../../protocol/messages.ts';
import { info, warn, type Message } from './lists.ts';

/** What a report about late rows is about. */
export interface LateReport {
  readonly place: string; // of the list in the config
  readonly config: Pick<CursorListConfig, 'created_field' | 'lookback_seconds'>;
  readonly counts: Pick<Counts, 'late' | 'latest' | 'mayRepeat' | 'newest'>;
  readonly readAt: Instant | null; // by the clock of the service; null if the read has not finished
}

const SECOND = 1000n * MS;

/** The share of the lookback from which on rows that appear late are a warning: later ones are missed. */
const LATE_SHARE = { of: 8n, in: 10n };

/** Returns what a user should know about the late rows of a read that has ended. */
export function lateRows(report: LateReport): readonly Message[] {
  const { counts, config } = report;
  const { late, latest, mayRepeat } = counts;
  // rows that may have been emitted before may not be late
  if (late === 0 || mayRepeat > 0) return [];
  const lookback = BigInt(config.lookback_seconds) * SECOND;
  const text = latenessText(late, latest);
  if (latest * LATE_SHARE.in < lookback * LATE_SHARE.of) return [info(text)];
  const ageSeconds = ageIfAllLate(report);
  if (ageSeconds !== null) return [warn(clockAhead(report, text, ageSeconds))];
  return [warn(isCoverable(latest) ? tooLate(report, text) : wrongTimes(report))];
}

const isCoverable = (latest: bigint): boolean => latest <= BigInt(MAX_LOOKBACK_SECONDS) * SECOND;

/** Fewer rows may be those of one device that was offline. */
const MIN_LATE = 5;
/** The newest row is as old as the latest one was late, but for this part. */
const AGE_DEVIATION = 5n;

/** The age of the newest row in seconds, if rows appear about that late whenever they are created, as by a clock that is ahead; else null. */
function ageIfAllLate({ counts: { late, latest, newest }, readAt }: LateReport): number | null {
  if (readAt === null || late < MIN_LATE) return null;
  const age = readAt - newest;
  const deviation = age < latest ? latest - age : age - latest;
  return deviation * AGE_DEVIATION <= latest ? secondsOf(age) : null;
}

function clockAhead({ place, counts, config }: LateReport, text: string, ageSeconds: number): string {
  const rest = isCoverable(counts.latest)
    ? ` If rows do appear that late, ${moreLookback(place, counts.latest)}; it is ${config.lookback_seconds}.`
    : '';
  return (
    `${text}, and the newest one, too, was created ${ageSeconds} s before this read. The clock of the service (its Date header) is probably ahead of ` +
    `the times in ${quoted(config.created_field)} by about that much: compare it with yours, and tell the API's provider. Then these rows are not ` +
    `late.${rest}`
  );
}

function tooLate({ place, counts, config }: LateReport, text: string): string {
  const { lookback_seconds: lookback, created_field: field } = config;
  const lead = `${text}; lookback_seconds is ${lookback}. Rows that appear later than that may be missing: `;
  if (lookback >= MAX_LOOKBACK_SECONDS)
    return `${lead}this is its maximum, so run a full refresh from time to time to find them.`;
  return (
    `${lead}${moreLookback(place, counts.latest)}, unless ${quoted(field)} is another time than the one that createdSince refers to, or the service ` +
    'changes rows after they were created: a changed row is another row, and looks like a late one. If the late rows follow those of the read ' +
    'before, the server had shown it an end too early.'
  );
}

function moreLookback(place: string, latest: bigint): string {
  const isPossible = isCoverable(2n * latest);
  return `set ${place}.lookback_seconds to ${isPossible ? 'at least twice as long' : `${MAX_LOOKBACK_SECONDS}, its maximum`}`;
}

/** No lookback covers such rows, and no upload is that late. */
function wrongTimes({ place, counts: { late, latest }, config }: LateReport): string {
  const rows = counted(late, 'new row was', 'new rows were');
  const days = grouped(Number(latest / DAY));
  return (
    `by ${quoted(config.created_field)}, ${rows} created before the last read, up to ${days} days. No upload is that late: the clock of a device (or of ` +
    'the service) is wrong, unless the service has changed old rows, which look like late ones. These rows were emitted, and are not missing, but ' +
    `lookback_seconds (at most ${MAX_LOOKBACK_SECONDS}) cannot cover such times. If rows also have the time at which the service received them, set ` +
    `${place}.created_field to it; otherwise, run a full refresh from time to time to find rows with wrong times that a read did not receive.`
  );
}

/** For example `the latest of 12 late rows appeared 287 s after it was created`. */
export function latenessText(late: number, latest: bigint): string {
  const subject = late === 1 ? 'a late row' : `the latest of ${counted(late, 'late row', 'late rows')}`;
  return `${subject} appeared ${secondsOf(latest)} s after it was created`;
}

const secondsOf = (ns: bigint): number => Math.ceil(Number(ns) / 1e9);
