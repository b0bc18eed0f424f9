import type { Mutant } from './mutant.ts';

/** Faults in the reading of assets: ties, the end, what is known again, the pass over the head, places. */
export const ASSETS_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/streams/offset-stream.ts',
    text: 'return id === undefined ? rowBytes(row)',
    planted: "return id?.kind !== 'text' ? rowBytes(row)",
    breaks: 'a numeric assetId is no identity, so that rows whose text changes are other rows',
  },
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
    text: 'const back = isUnknownHead && course.unknownHeads % 2 === 0 ? page.rows.length : 1;',
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
];
