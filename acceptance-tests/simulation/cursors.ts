import type { AlarmRow } from './alarm-rows.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import type { Surroundings } from './simulated-list.ts';

/** Where a page starts: after a row, at an index of the result, or after a number of pages. The first page is null at 0. */
export interface Place {
  readonly after: AlarmRow | null;
  readonly index: number;
  readonly page: number;
}

/** Cursors that expire. */
export function createCursors(plan: AlarmsPlan['cursors'], { now, isCalm, matters }: Surroundings) {
  const issued = new Map<string, Place & { readonly issuedMs: number; readonly read: number }>();
  let read = 0;
  let uses = 0; // of expired cursors in this read
  return {
    issue: (place: Place): string => {
      const name = `cursor-${issued.size}-${'x'.repeat(issued.size % 5)}`;
      issued.set(name, { ...place, issuedMs: now(), read });
      return name;
    },
    /** Where the page of a cursor starts, or the response to an expired cursor; undefined if it was never issued. */
    find: (name: string): Place | AlarmsPlan['cursors']['expired'] | undefined => {
      const cursor = issued.get(name);
      if (cursor === undefined || isCalm()) return cursor;
      const isOld = now() - cursor.issuedMs > plan.lifeMs;
      const isOfOtherRead = plan.dieBetweenReads && cursor.read !== read;
      if (!isOld && !isOfOtherRead) return cursor;
      uses++;
      matters('expiredCursor');
      matters(isOld ? 'cursorLife' : 'cursorScope');
      return plan.expired;
    },
    usesOfExpired: (): number => uses,
    startRead: (): void => {
      read++;
      uses = 0;
    },
  };
}
