import type { NumberedPage } from './pass.ts';

/** A page without a total, all of whose rows have a key. */
export function numberedPage(offset: number, identities: readonly number[], limit: number): NumberedPage {
  return { offset, limit, identities, isAligned: false, total: undefined, isKeyless: false };
}
