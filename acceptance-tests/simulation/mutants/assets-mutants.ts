import type { Mutant } from './mutant.ts';

/** Faults in the reading of offset pages. */
export const ASSETS_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/streams/assets.ts',
    text: 'if (shown !== undefined && shown !== asked)',
    planted: 'if (shown !== undefined && shown < 0)',
    breaks: 'a page at another offset is taken (nothing in the simulation does that: survives)',
  },
];
