import type { Mutant } from './mutant.ts';

/** Faults in offset paging: ties, the end, what is known again, the pass over the head, places. */
export const PAGING_OFFSET_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/paging/offset-scan.ts',
    text: "    if (why !== null) throw configError('PAGES_UNUSABLE', why);\n",
    planted: '',
    breaks: 'rows that are never known again are read as long as the list seems to move',
  },
  {
    file: 'src/paging/offset-scan.ts',
    text: 'if (end.weight >= PROOF) return;',
    planted: 'if (end.weight > 2 * PROOF) return;',
    breaks: 'where rows come in or go before each request the end is never proven',
  },
  {
    file: 'src/paging/offset-scan.ts',
    text: 'const PROOF = 6;',
    planted: 'const PROOF = 1;',
    breaks: 'a page that is cut short passes for the end',
  },
  {
    file: 'src/paging/offset-scan.ts',
    text: 'const isTied = offset === 0 || behind > 0;',
    planted: 'const isTied = offset === 0 || behind >= 0;',
    breaks: 'a page that is not tied counts',
  },
  {
    file: 'src/paging/offset-course.ts',
    text: 'const back = isSought ? page.rows.length : isNews ? Math.min(course.overlap, page.rows.length) : 1;',
    planted: 'const back = 0;',
    breaks: 'neighbouring pages do not overlap',
  },
  {
    file: 'src/paging/offset-scan.ts',
    text: 'if (end.isAlone && length === 0) return;',
    planted: 'if (length === 0) return;',
    breaks: 'any empty page is the end',
  },
  {
    file: 'src/paging/offset-read.ts',
    text: '      const isNew = newer.map(take);\n',
    planted: '      const isNew = newer.map(() => false);\n',
    breaks: 'what came in at the head meanwhile is left out',
  },
  {
    file: 'src/paging/offset-read.ts',
    text: '[...(from?.anchors ?? []), ...(from?.inserted ?? [])]',
    planted: '[...(from?.anchors ?? [])]',
    breaks: 'rows that came in at the head are emitted again after a resume',
  },
  {
    file: 'src/paging/identities.ts',
    text: ' && prints[at + 2] === c',
    planted: '',
    breaks: 'rows whose fingerprints agree in 64 of 96 bits are one',
    nearest: ['src/paging/identities.test.ts'],
  },
  {
    file: 'src/paging/offset-pages.ts',
    text: 'if (isAccepted || !isRefusal(error)) throw error;',
    planted: 'if (!isRefusal(error)) throw error;',
    breaks: 'a refusal in the middle of a read makes pages smaller, and does not end it',
    nearest: ['src/paging/offset-pages.test.ts'],
  },
  {
    file: 'src/paging/offset-pages.ts',
    text: 'inFlight < concurrency &&',
    planted: 'inFlight <= concurrency &&',
    breaks: 'one request more is in flight than `concurrency` allows',
    nearest: ['src/paging/offset-pages.test.ts'],
  },
  {
    file: 'src/paging/offset-position.ts',
    text: 'const REACH = 8;',
    planted: 'const REACH = 0;',
    breaks: 'the place of an interrupted read is looked for where it was, and nowhere around it',
    nearest: ['src/paging/offset-position.property.test.ts'],
  },
  {
    file: 'src/paging/offset-read.ts',
    text: 'if (from !== null && ledger.rows() < owed) await read.warn(READ_AGAIN);',
    planted: '',
    breaks: 'rows of an interrupted read repeat without a word',
    nearest: ['src/paging/offset-resume.property.test.ts', 'src/paging/offset-read.property.test.ts'],
  },
];
