import { SIMULATION, plantedIn } from './mutant.ts';

/** Faults in cursor paging: times, ranges, watermark, order, cursors, what is remembered. */
export const PAGING_CURSOR_MUTANTS = [
  ...plantedIn('src/paging/open-ranges.ts', SIMULATION, {
    'a start_date that becomes earlier for the second time adds nothing':
      'if (« → cover.ranges.length > 1 || »!wantsEarlier(cover, start)) return cover;',
    'whoever goes on from created_since alone loses what an earlier start_date added':
      '    createdSince: «start → cover.createdSince»,\n',
    'what an earlier start_date added is read again and again':
      '    coveredFrom: «start → cover.coveredFrom»,\n',
  }),
  ...plantedIn('src/paging/open-ranges.ts', ['src/paging/open-ranges.test.ts'], {
    'a row at the border of two ranges belongs to both': '(until === undefined || created <« → =» until);',
    'a state holds one range fewer than it may': 'narrowest > 0n && ranges.length <«= → » most',
  }),
  ...plantedIn('src/paging/range-worker.ts', SIMULATION, {
    'a late row that the chain brings after a resume is thrown away':
      '    from: « → hint?.newest ?? »since,\n',
    'a dead cursor that is answered with the first page is not noticed':
      'if (after «=== null || first = → !»== undefined) return false;',
    'a cursor is kept behind rows that were left out for the end date':
      'started === undefined ||« hasLeftOut || → »',
    'an exclusive bound leaves out rows created at it':
      'return writeTime(since« - (resolution > MARGIN ? resolution : MARGIN) → », format);',
  }),
  ...plantedIn('src/paging/instant.ts', SIMULATION, {
    'seconds left out where they are zero make states that cannot be read again':
      'const seconds = «before.seconds ||  → »now.seconds;',
  }),
  ...plantedIn('src/paging/instant.ts', ['src/paging/instant.test.ts'], {
    'zones are applied the wrong way round':
      "return (zone.startsWith('-') ? «-1 :  → 1 : -»1) * (hours * 60 + minutes);",
    'times before 1970 are rounded up, beyond what has been read':
      'return «rest < 0n ? instant - rest - step :  → »instant - rest;',
  }),
  ...plantedIn('src/paging/cursor-run.ts', ['src/streams/alarms-order.test.ts'], {
    'a range ends at the first row beyond it, though rows may stand late':
      'wantedTimes.until« + read.lookback → »;',
    'a list that does not come in order is taken for ordered':
      'created === undefined ? run.workers.size > 1 : «created < (worker.newest ?? created) - read.lookback → false»;',
  }),
  ...plantedIn('src/paging/cursor-run.ts', SIMULATION, {
    'times without a zone are compared with the clock of the server':
      '«run.isClockKnown &&= page.isServerTime && !isZoneless(time.format); → »',
    'the watermark passes what may still appear late':
      'if (isClockKnown) return started« - read.lookback → »;',
    'rows created at the end date itself are left out':
      'return end« === undefined ? undefined : end + 1n → »;',
    'rows created at the lower bound of a range are taken for emitted':
      '«!isIn(wantedTimes, created → (created === from || !isIn(wantedTimes, created)»)',
    'rows that were emitted are emitted again':
      '«if (emitted === undefined) wanted.push(row) → wanted.push(row);\n    if (!emitted) continue»;',
  }),
  ...plantedIn('src/paging/cursor-read.ts', ['src/streams/alarms-order.test.ts'], {
    'inside a read the bound passes rows that stand late in the list':
      'raise(range, earliestOf(reached« - read.lookback → », limit',
  }),
  ...plantedIn('src/paging/cursor-read.ts', SIMULATION, {
    'inside a read the bound passes what may still appear late':
      'raise(range, earliestOf(reached - read.lookback, «limit,  → »stop), format);',
    'a resumed chain that ends finishes its range':
      '«if (isResumed && !(isWhole && range.readTo === range.until)) run.todo.push(range); → »',
    'what lies behind the end date or in another range is forgotten':
      'const hasSeenAll = «others.length === 0 && run.read.end === undefined → true»;',
  }),
  ...plantedIn('src/paging/seen-rows.ts', SIMULATION, {
    'a state forgets what the state before it remembered':
      'seen.filter(({ «created }) => → isLoaded, created }) => !isLoaded &&» holds(open, created));',
    'a finished read forgets the rows behind its watermark':
      'entries = «entries.filter(({ isLoaded }) => !isLoaded) → []»;',
  }),
  ...plantedIn('src/paging/seen-rows.ts', ['src/paging/seen-rows.test.ts'], {
    'of too many rows a state remembers the oldest, not the latest':
      'entries.toSorted(byUse).slice(«- → 0, »most)',
  }),
  ...plantedIn('src/paging/loop-guard.ts', ['src/paging/loop-guard.test.ts'], {
    'empty pages count as endless though pages with rows come between them':
      'empty «= rows.length === 0 ? empty + → += rows.length === 0 ?» 1 : 0;',
  }),
];
