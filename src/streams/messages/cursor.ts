// All texts about reads of lists by cursor.
import { duration } from '../../clock.ts';
import { isConnectorError, refusalError, transientError } from '../../errors.ts';
import type { CursorListConfig } from '../../generated/config.generated.ts';
import { CURSOR_STATE } from '../../limits.ts';
import type { BoundOrigin, Counts, CursorEvent } from '../../paging/cursor/list.ts';
import { MAX_INSTANT, MIN_INSTANT, MS, instantOf, writeTime, type Instant } from '../../paging/instant.ts';
import type { Endless } from '../../paging/loop-guard.ts';
import { counted, quoted } from '../../protocol/messages.ts';
import type { CursorBegin } from '../cursor-state.ts';
import type { ListName } from '../stream.ts';
import { lateRows } from './late-rows.ts';
import { info, sizeMessage, warn, type Message } from './lists.ts';

/** Returns what to say about an event in the read of a cursor list. */
export function cursorEventMessage(event: CursorEvent, place: string): Message {
  if (event.kind === 'page size') return sizeMessage(event.change, place);
  if (event.kind === 'asked again')
    return info(
      'the server may not know the cursor any more, so rows are requested again from the last createdSince on; those that were emitted ' +
        'are not repeated',
    );
  if (event.kind === 'bound ignored')
    return warn(
      'the server returns rows from before createdSince, so it ignores this parameter. Rows from before it are left out, and every read ' +
        'requests the whole list',
    );
  if (event.kind === 'left out asked')
    return warn(
      `start_date is earlier again, so the rows that it had left out are requested, from ${timeText(event.since)} on. Rows may be repeated.`,
    );
  if (event.kind === 'question unanswered')
    return warn(
      'the createdSince that was made from the created times of rows returned none of these rows. They were deleted, or created_field runs ' +
        `ahead of the time that createdSince refers to, or the text of rows differs in each response. Rows are requested again from ${timeText(event.since)} on, and may be repeated.`,
    );
  if (event.kind === 'may repeat')
    return warn(`rows may be repeated: ${FORGOTTEN}. The end of the read says how many at most.`);
  return event.wasProven
    ? warn(
        'the list is not in ascending order of created time after all. One chain of pages reads it to its end, the next read starts where ' +
          'this one began, and rows may be repeated.',
      )
    : info('the list is not in ascending order of created time, so one chain of pages reads it to its end');
}

const FORGOTTEN = 'the state did not remember all rows that the server returned again';

/** Says what to change if the server refuses a bound. */
export function boundAdviceOf(origin: BoundOrigin, { name, place }: ListName): string {
  if (origin === 'start date') return `Check ${place}.start_date.`;
  if (origin === 'rows')
    return `This bound was made from created times: check that ${place}.created_field is the time that createdSince refers to.`;
  return (
    `This bound is "created_since" in the state. If the service does not keep rows for so long, set ${place}.start_date to a later time, which raises ` +
    `the bound that is sent. Or remove "${name}" from the state to read it from its start.`
  );
}

/** Says that the service accepts bounds in another form. */
export function boundFormMessage(refused: string, accepted: string): string {
  return `the service refuses createdSince=${refused}, but accepts the same time as ${accepted}, so it is sent in this form`;
}

/** Returns the refusal of a bound whose time was refused in other forms, too. */
export function refusedInAllForms(refusal: unknown, others: readonly string[]): unknown {
  if (!isConnectorError(refusal, 'REQUEST_REFUSED') || others.length === 0) return refusal;
  const words = ` The same time is refused in other forms, too: ${others.join(', ')}.`;
  return refusalError('REQUEST_REFUSED', `${refusal.message}${words}`, refusal.cause);
}

/** Returns the error of a read that cannot reach the end of its list. */
export function endlessError(endless: Endless, { name, place }: ListName): Error {
  return transientError(
    'CURSOR_LOOP',
    `${name}: the chain of pages ${endlessProblem(endless, place)}, so its end cannot be reached. ` +
      `Run again later. The state remains valid; if this happens again, ${endlessAdvice(endless, place)}.`,
    null,
  );
}

function endlessAdvice({ cause }: Endless, place: string): string {
  const provider = "the API's provider must fix it";
  if (cause === 'cursors expire')
    return `ask the API's provider how long cursors are valid, and for which requests`;
  if (cause === 'only empty pages') return provider;
  // such as those of the same created time
  return `set a larger ${place}.page_size, because the server may not be able to go on within rows that are alike, or ${provider}`;
}

function endlessProblem(endless: Endless, place: string): string {
  if (endless.cause === 'only empty pages') return `has had only empty pages for ${duration(endless.ms)}`;
  if (endless.cause === 'an earlier cursor')
    return `returns to an earlier cursor after ${counted(endless.pages, 'page', 'pages')}`;
  if (endless.cause === 'the same page') return `has repeated the same page ${endless.times} times`;
  const hint = endless.isParallel ? ` (${place}.parallel_chains may be too large)` : '';
  const { refusal } = endless;
  const reason =
    refusal instanceof Error ? `its cursors were refused (${refusal.message})` : 'its cursors had expired';
  return `was interrupted repeatedly because ${reason}${hint}`;
}

/** Says that a full refresh does not go on from a state; rows that its read has emitted are repeated if it did not end. */
export function ignoredState(isFinished: boolean): Message {
  const ignored = 'full refresh: ignoring the state';
  return isFinished
    ? info(ignored)
    : warn(
        `${ignored}, so the list is read from its start, and the rows that a killed read has emitted are repeated`,
      );
}

/** Returns what a user should know about where a read begins. */
export function beginMessages({ isOtherField, hasGaps, from }: CursorBegin): readonly Message[] {
  const most = counted(CURSOR_STATE.maxSeen, 'row', 'rows');
  // a read may be killed before it can count what it repeats
  const isFull = from.seen.length + from.ahead.length >= CURSOR_STATE.maxSeen;
  return [
    ...(isOtherField
      ? [
          warn(
            'created_field has changed, so the stream is read again from its start, and rows may be repeated',
          ),
        ]
      : []),
    ...(hasGaps
      ? [
          warn(
            'the state is one of version 0.1.0 with several open ranges: rows between them may be repeated',
          ),
        ]
      : []),
    ...(isFull
      ? [warn(`the state remembers ${most}. If the server returns more again, the others are repeated.`)]
      : []),
  ];
}

/** What a report is about. */
export interface CursorReport {
  readonly place: string; // of the list in the config
  readonly config: Pick<CursorListConfig, 'created_field' | 'start_date' | 'end_date' | 'lookback_seconds'>;
  readonly counts: Counts;
  readonly floor: Instant; // see `CursorStart`
  readonly unreturned: number; // rows of the state that its question must return again, if it returned none; else 0
  readonly isFull: boolean; // the state has no room for all rows that may be returned again
  readonly isLimited: boolean; // the read ended at its limit of rows
  readonly readAt: Instant | null; // by the clock of the service; null if the read has not finished
  readonly nowMs: number; // since the epoch
}

/** Returns what a user should know about a read that has ended. */
export function cursorReport(report: CursorReport): readonly Message[] {
  return [
    ...leftOut(report),
    ...oddRows(report),
    ...unreturnedRows(report),
    ...lateRows(report),
    ...repeatedRows(report),
  ];
}

/** Rows that are left out are not remembered, so they are counted again when a chain that starts again receives them. */
const EACH_TIME = ', counted each time they were received';

function leftOut({ counts, config, floor }: CursorReport): readonly Message[] {
  const { beforeStart, afterEnd, beforeFloor, beforeBound } = counts;
  const { start_date: start = '', end_date: end = '' } = config;
  return [
    ...rows(beforeStart, (count) =>
      info(`left out ${count} created before start_date (${start})${EACH_TIME}`),
    ),
    ...rows(afterEnd, (count) => info(`left out ${count} created after end_date (${end})${EACH_TIME}`)),
    ...rows(beforeFloor, (count) =>
      info(`left out ${count} created before created_since of the state (${timeText(floor)})`),
    ),
    ...rows(beforeBound, (count) =>
      info(`left out ${count} from before createdSince, which the server ignores${EACH_TIME}`),
    ),
  ];
}

/** A newest created time before it, or more than a day ahead, is more likely a number that only looks like a time. */
const FIRST_PLAUSIBLE = instantOf('2000-01-01', MIN_INSTANT);
const DAY_MS = 86_400_000;

function oddRows({ place, counts, config, nowMs }: CursorReport): readonly Message[] {
  const { copies, older, timeless, newest } = counts;
  const field = quoted(config.created_field);
  const isFuture = newest > BigInt(nowMs + DAY_MS) * MS;
  const isOdd = newest !== MIN_INSTANT && (newest < FIRST_PLAUSIBLE || isFuture);
  return [
    ...rows(copies, (count) =>
      info(
        `the server returned ${count} more than once in one chain of pages; rows with the same text are emitted once`,
      ),
    ),
    ...rows(older, (count) =>
      info(
        `emitted ${count} whose time in ${field} is earlier than the createdSince for which the server returned them. They appeared late, ` +
          `or ${field} (${place}.created_field) is not the time that createdSince refers to.`,
      ),
    ),
    ...rows(timeless, (count) =>
      warn(
        `emitted ${count} without a readable time in ${field}; such rows do not advance the state. If there are many, check ` +
          `${place}.created_field.`,
      ),
    ),
    ...(isOdd
      ? [
          warn(
            `the newest time in ${field} is ${writeTime(newest, null)}, which is ${isFuture ? 'in the future' : 'before 2000'}. Check ` +
              `${place}.created_field, and whether its values are times in a form that looks like another one.`,
          ),
        ]
      : []),
  ];
}

function unreturnedRows({
  place,
  unreturned,
  config: { created_field: field },
}: CursorReport): readonly Message[] {
  return rows(unreturned, (count) =>
    warn(
      `the server returned none of ${count} that the read before had received, although createdSince asks for them again. They were deleted, or ` +
        `the server takes createdSince for a later time, as in another time zone or in whole days, or ${quoted(field)} (${place}.created_field) is ` +
        `another time: then new rows are missing, too. Set ${place}.lookback_seconds to more than the difference, which asks for earlier rows, and ` +
        'read once without the state.',
    ),
  );
}

function repeatedRows({ counts, isFull, isLimited }: CursorReport): readonly Message[] {
  const most = counted(CURSOR_STATE.maxSeen, 'row', 'rows');
  const round = isLimited
    ? ' With --limit-rows, reads come round to them before they reach the end of the list.'
    : '';
  return [
    ...rows(counts.mayRepeat, (count) => warn(`up to ${count} may be repeated: ${FORGOTTEN}`)),
    ...(isFull
      ? [
          warn(
            `a state remembers ${most}, and the next read may receive more again, so it may repeat the others.${round}`,
          ),
        ]
      : []),
  ];
}

function rows(count: number, message: (text: string) => Message): readonly Message[] {
  return count === 0 ? [] : [message(counted(count, 'row', 'rows'))];
}

/** Says that a read has found nothing because its state is ahead of the server. */
export function futureStateMessage(question: Instant): Message {
  return warn(
    `the state goes on from ${timeText(question)}, which is in the future, so nothing is read until then. If that is a mistake, remove the ` +
      'stream from the state, or write an earlier time into it.',
  );
}

/** Says that a start date before the state does not bring earlier rows. */
export function earlierStartMessage(start: string, question: Instant): Message {
  return info(
    `start_date (${start}) is before the state, which goes on from ${timeText(question)}. To read earlier rows, run once with end_date and ` +
      'without the state, or read everything again without a state',
  );
}

function timeText(instant: Instant): string {
  if (instant === MIN_INSTANT || instant === MAX_INSTANT) return 'the beginning of the list';
  return writeTime(instant, null).replace(/\.?0*Z$/, 'Z');
}
