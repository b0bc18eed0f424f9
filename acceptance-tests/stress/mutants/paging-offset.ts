import { SIMULATION, plantedIn } from './mutant.ts';

/** Faults in offset paging: ties, the end, what is known again, the pass over the head, places. */
export const PAGING_OFFSET_MUTANTS = [
  ...plantedIn('src/paging/offset-scan.ts', SIMULATION, {
    'rows that are never known again are read as long as the list seems to move':
      "«    if (why !== null) throw configError('PAGES_UNUSABLE', why);\n → »",
    'where rows come in or go before each request the end is never proven':
      'if (end.weight >«= →  2 *» PROOF) return;',
    'a page that is cut short passes for the end': 'const PROOF = «6 → 1»;',
    'a page that is not tied counts': 'const isTied = offset === 0 || behind >« → =» 0;',
    'any empty page is the end': 'if («end.isAlone &&  → »length === 0) return;',
  }),
  ...plantedIn('src/paging/offset-course.ts', SIMULATION, {
    'neighbouring pages do not overlap':
      'const back = «isSought ? page.rows.length : isNews ? Math.min(course.overlap, page.rows.length) : 1 → 0»;',
  }),
  ...plantedIn('src/paging/offset-read.ts', SIMULATION, {
    'what came in at the head meanwhile is left out':
      '      const isNew = newer.map(«take → () => false»);\n',
    'rows that came in at the head are emitted again after a resume':
      '[...(from?.anchors ?? [])«, ...(from?.inserted ?? []) → »]',
  }),
  ...plantedIn(
    'src/paging/offset-read.ts',
    ['src/paging/offset-resume.property.test.ts', 'src/paging/offset-read.property.test.ts'],
    {
      'rows of an interrupted read repeat without a word':
        '«if (from !== null && ledger.rows() < owed) await read.warn(READ_AGAIN); → »',
    },
  ),
  ...plantedIn('src/paging/identities.ts', ['src/paging/identities.test.ts'], {
    'rows whose fingerprints agree in 64 of 96 bits are one': '« && prints[at + 2] === c → »',
  }),
  ...plantedIn('src/paging/offset-pages.ts', ['src/paging/offset-pages.test.ts'], {
    'a refusal in the middle of a read makes pages smaller, and does not end it':
      'if («isAccepted ||  → »!isRefusal(error)) throw error;',
    'one request more is in flight than `concurrency` allows': 'inFlight <« → =» concurrency &&',
  }),
  ...plantedIn('src/paging/offset-position.ts', ['src/paging/offset-position.property.test.ts'], {
    'the place of an interrupted read is looked for where it was, and nowhere around it':
      'const REACH = «8 → 0»;',
  }),
];
