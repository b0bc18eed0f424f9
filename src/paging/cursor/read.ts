/*
 * Reads a cursor list, as docs/how-it-reads.md explains it.
 *
 * - created: the time of a row in the created field; ns since the epoch
 * - question: the `createdSince` that is asked next; rows that may still appear are not older
 * - known: received before, by this read or by one before it; a row is its text
 * - chain: pages that are requested with the cursor of the one before; it only supplies pages, and is disposable
 * - bound: the `createdSince` of a chain, the same on each of its requests
 * - front: the chain that moves the question; others may have jumped in ahead of it
 * - tied: a chain has met rows that the chain ahead of it has returned
 * - newest: the latest created time that a chain has returned; reached: the time that its last rows have all reached
 * - serverTime: the server time of the first response
 * - lookback: how late rows may appear; tolerance: the same, in whole units of the times
 * - margin: how much older than a bound the rows may be for which a server returns them
 *
 * The path of a page: requests.ts requests it, and step.ts judges and takes it, with the known rows of known.ts and the times of bounds.ts;
 * chains.ts decides how its chain goes on. reading.ts has the data that they change.
 */
import { earliest, isOtherForm, type TimeFormat } from '../instant.ts';
import { formatWith, writtenBound } from './bounds.ts';
import {
  askAgain,
  askBefore,
  askForLess,
  askInForm,
  endAhead,
  noteSize,
  startAgain,
  takeDue,
} from './chains.ts';
import type { CursorBatch, CursorEnd, CursorRead } from './list.ts';
import {
  beginReading,
  boundFormat,
  momentOf,
  unreturnedIn,
  type Chain,
  type Read,
  type Reading,
} from './reading.ts';
import { createRequests, type Answer } from './requests.ts';
import { boundToProbe, judge, noteProbe, takePage, type DatedPage } from './step.ts';

type Requests<R> = ReturnType<typeof createRequests<R>>;

/**
 * Reads a cursor list from where a state ends to its end. Yields every row that the API returns from there on, unless it is known or
 * outside the dates. The last batch has the position after the read.
 *
 * @throws what `fetchPage` throws, and `endlessError` if the end of the list cannot be reached
 */
export async function* readCursorList<R>(read: CursorRead<R>): AsyncGenerator<CursorBatch<R>> {
  const reading = beginReading(read);
  const requests = createRequests(read);
  let batch: CursorBatch<R> | null = null;
  if (reading.question < read.from.question)
    await read.say({ kind: 'left out asked', since: reading.question });
  try {
    for (;;) {
      for (const asked of takeDue(reading, read)) requests.send(asked);
      // while it is written, the next pages are on their way
      if (batch !== null) yield batch;
      if (batch !== null && batch.end !== null) return;
      batch = await take(reading, await requests.next(), requests, read);
    }
  } finally {
    requests.stop();
  }
}

/** Takes the response to a chain. Returns null if it brings nothing to emit, and more follows. */
async function take<R>(
  reading: Reading,
  answer: Answer<R>,
  requests: Requests<R>,
  read: CursorRead<R>,
): Promise<CursorBatch<R> | null> {
  const chain = reading.chains.find(({ number }) => number === answer.chain);
  // it was given up in the meantime
  if (chain === undefined) return null;
  const verdict = judge(reading, chain, answer, read);
  if (verdict.kind === 'lost cursor') await read.say(startAgain(reading, chain, read, verdict.refusal));
  if (verdict.kind === 'doubtful') askAgain(reading, chain, read);
  if (verdict.kind === 'unanswered') await read.say(askBefore(reading, read));
  if (verdict.kind === 'too large') askForLess(reading, chain, read);
  if (verdict.kind === 'nothing ahead') endAhead(reading, chain);
  if (verdict.kind !== 'page') return null;
  const { page } = verdict;
  const form = await otherForm(reading, chain, page, requests, read);
  if (form !== null) {
    askInForm(reading, form, read);
    return null;
  }
  await probeBound(reading, chain, page, requests, read);
  const isFirst = chain.cursor === null;
  const { rows, events, isLimited } = takePage(reading, chain, page, read);
  if (!isLimited && chain.status === 'due') requests.guard(chain.number, page);
  const shown = { isFirst, failures: page.failures ?? 0, rows: page.rows.length, isNews: rows.length > 0 };
  const sized = noteSize(reading, chain, shown, read);
  for (const event of sized === null ? events : [...events, sized]) await read.say(event);
  const end = endOf(reading, isLimited, read);
  if (rows.length === 0 && end === null) return null;
  const { counts, format } = reading;
  return {
    rows,
    moment: momentOf(reading, read, end?.kind === 'finished'),
    counts: { ...counts },
    hasTimes: format !== null,
    end,
  };
}

/**
 * Until a row has shown how the server writes times, a bound is written as the start date is. A server that compares texts misreads a bound in
 * another form, and may return no rows at all. Returns the form of the rows, if it is another one.
 */
async function otherForm<R>(
  reading: Reading,
  { boundFrom, cursor }: Chain,
  { times, rows }: DatedPage<R>,
  requests: Requests<R>,
  { from, startFormat, createdOf }: CursorRead<R>,
): Promise<TimeFormat | null> {
  const isGuess = boundFrom === 'start date' && cursor === null && reading.format === null;
  if (!isGuess || from.format !== null || startFormat === null) return null;
  const first = rows.length > 0 ? null : await requests.probe(null, reading.size);
  const format = formatWith(null, first === null ? times : first.rows.map(createdOf));
  return format !== null && isOtherForm(format, startFormat) ? format : null;
}

function endOf(reading: Reading, isLimited: boolean, read: Read): CursorEnd | null {
  if (isLimited) return { kind: 'limited' };
  if (reading.chains.length > 0) return null;
  const readAt = earliest(reading.serverTime, read.end);
  return { kind: 'finished', readAt, unreturned: unreturnedIn(reading, read) };
}

/** Asks for rows of the future if a page has rows from before its bound only: the server may ignore `createdSince`. */
async function probeBound<R>(
  reading: Reading,
  chain: Chain,
  page: DatedPage<R>,
  requests: Requests<R>,
  read: CursorRead<R>,
): Promise<void> {
  const probed = boundToProbe(reading, chain, page, read);
  if (probed === null) return;
  const createdSince = writtenBound(probed, boundFormat(reading, read));
  const answer = await requests.probe(createdSince, reading.size);
  const event = noteProbe(reading, probed, answer, read);
  if (event !== null) await read.say(event);
}
