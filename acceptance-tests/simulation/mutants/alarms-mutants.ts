import type { Mutant } from './mutant.ts';

/** Faults in the reading of alarms: ranges, watermark, order, cursors, what is remembered, states. */
export const ALARMS_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/paging/open-ranges.ts',
    text: 'if (!wantsEarlier(cover, start)) return cover;',
    planted: 'if (ranges.length > 1 || !wantsEarlier(cover, start)) return cover;',
    breaks: 'a start_date that becomes earlier for the second time adds nothing',
  },
  {
    file: 'src/paging/open-ranges.ts',
    text: '    createdSince: start,\n',
    planted: '    createdSince: cover.createdSince,\n',
    breaks: 'whoever goes on from created_since alone loses what an earlier start_date added',
  },
  {
    file: 'src/paging/open-ranges.ts',
    text: '    coveredFrom: start,\n',
    planted: '    coveredFrom: until,\n',
    breaks: 'what an earlier start_date added is read again and again',
  },
  {
    file: 'src/streams/cursor-stream.ts',
    text: '    const isUnusable = position.format === null',
    planted:
      '    yield { rows: [], total: undefined, newest: facts.newest, state: () => stateFor(position, start, field, fingerprintOf) };\n' +
      '    const isUnusable = position.format === null',
    breaks: 'a read that fails because of its created_field remembers rows that it never emitted',
  },
  {
    file: 'src/paging/range-worker.ts',
    text: '    from: range.since,\n',
    planted: '    from: laterOf(range.since, hint?.newest),\n',
    breaks: 'a late row that the chain brings after a resume is thrown away',
  },
  {
    file: 'src/paging/instant.ts',
    text: 'const seconds = before.seconds || now.seconds;',
    planted: 'const seconds = now.seconds;',
    breaks: 'seconds left out where they are zero make states that cannot be read again',
  },
  {
    file: 'src/paging/cursor-run.ts',
    text: 'run.isClockKnown &&= isServerTime && !isZoneless(format);',
    planted: '',
    breaks: 'times without a zone are compared with the clock of the server',
  },
  {
    file: 'src/paging/range-worker.ts',
    text: 'if (after === null || first === undefined) return false;',
    planted: 'if (after !== undefined) return false;',
    breaks: 'a dead cursor that is answered with the first page is not noticed',
  },
  {
    file: 'src/paging/cursor-run.ts',
    text: 'if (isClockKnown) return started - read.lookback;',
    planted: 'if (isClockKnown) return started;',
    breaks: 'the watermark passes what may still appear late',
  },
  {
    file: 'src/paging/cursor-read.ts',
    text: 'raise(range, earlierOf(earlierOf(reached - read.lookback, limit), behindEnd(read.end)), format);',
    planted: 'raise(range, earlierOf(reached - read.lookback, behindEnd(read.end)), format);',
    breaks: 'inside a read the bound passes what may still appear late',
  },
  {
    file: 'src/paging/cursor-read.ts',
    text: 'raise(range, earlierOf(earlierOf(reached - read.lookback, limit)',
    planted: 'raise(range, earlierOf(earlierOf(reached, limit)',
    breaks: 'inside a read the bound passes rows that stand late in the list',
  },
  {
    file: 'src/paging/cursor-read.ts',
    text: 'if (worker.isResumed && !isRead) run.todo.push(range);',
    planted: '',
    breaks: 'a resumed chain that ends finishes its range',
  },
  {
    file: 'src/paging/cursor-run.ts',
    text: 'created >= stop + run.read.lookback ?',
    planted: 'created >= stop ?',
    breaks: 'a range ends at the first row beyond it, though rows may stand late',
  },
  {
    file: 'src/paging/cursor-run.ts',
    text: 'return newest !== undefined && created < newest - read.lookback;',
    planted: 'return false;',
    breaks: 'a list that does not come in order is taken for ordered',
  },
  {
    file: 'src/paging/range-worker.ts',
    text: 'started === undefined || hasLeftOut ||',
    planted: 'started === undefined ||',
    breaks: 'a cursor is kept behind rows that were left out for the end date',
  },
  {
    file: 'src/paging/cursor-run.ts',
    text: '(end === undefined || created <= end);',
    planted: '(end === undefined || created < end);',
    breaks: 'rows created at the end date itself are left out',
  },
  {
    file: 'src/paging/cursor-run.ts',
    text: 'return isIn({ since: from, until }, created)',
    planted: 'return created !== from && isIn({ since: from, until }, created)',
    breaks: 'rows created at the lower bound of a range are taken for emitted',
  },
  {
    file: 'src/paging/cursor-run.ts',
    text: 'if (known === undefined) wanted.push(row);',
    planted: 'wanted.push(row);\n    if (known === undefined) continue;',
    breaks: 'rows that were emitted are emitted again',
  },
  {
    file: 'src/paging/range-worker.ts',
    text: 'return writeTime(since - (resolution > MARGIN ? resolution : MARGIN), format);',
    planted: 'return writeTime(since, format);',
    breaks: 'an exclusive bound leaves out rows created at it',
  },
  {
    file: 'src/paging/seen-rows.ts',
    text: 'const kept = entries.filter(({ created }) => holds(open, created));',
    planted: 'const kept = entries.filter(({ isLoaded, created }) => !isLoaded && holds(open, created));',
    breaks: 'a state forgets what the state before it remembered',
  },
  {
    file: 'src/paging/seen-rows.ts',
    text: 'entries = entries.filter(({ isLoaded }) => !isLoaded);',
    planted: 'entries = [];',
    breaks: 'a finished read forgets the rows behind its watermark',
  },
  {
    file: 'src/paging/cursor-read.ts',
    text: 'const hasSeenAll = others.length === 0 && run.read.end === undefined;',
    planted: 'const hasSeenAll = true;',
    breaks: 'what lies behind the end date or in another range is forgotten',
  },
  {
    file: 'src/streams/cursor-state.ts',
    text: 'const isWhole = ranges.length === 1 && ranges[0]?.until === undefined && isFinished;',
    planted: 'const isWhole = ranges.length === 1 && ranges[0]?.until === undefined;',
    breaks: 'an unfinished state says only where the read began',
  },
  {
    file: 'src/streams/cursor-state.ts',
    text: '...(isWhole ? {} : { created_field',
    planted: '...(isFinished ? {} : { created_field',
    breaks: 'a finished read lets go of ranges in which rows may still appear',
  },
];
