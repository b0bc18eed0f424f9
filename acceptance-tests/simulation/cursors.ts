import { expiryOf, type Cursor, type CursorLife, type Moment } from '../model/cursor-answer.ts';
import type { AlarmRow } from './alarm-rows.ts';
import type { Surroundings } from './simulated-list.ts';

/** Nothing expires. */
const FOREVER = { lifeMs: Infinity, dieBetweenReads: false } as const;

/** The cursors that a list has issued, by their texts. */
export function createCursors(plan: CursorLife, { now, isCalm, matters }: Surroundings) {
  const issued = new Map<string, Cursor<AlarmRow>>();
  let read = 0;
  const life = (): CursorLife => (isCalm() ? { ...plan, ...FOREVER } : plan);
  const moment = (): Moment => ({ ms: now(), read });
  return {
    life,
    moment,
    issue: (cursor: Cursor<AlarmRow>): string => {
      const name = `cursor-${issued.size}-${'x'.repeat(issued.size % 5)}`;
      issued.set(name, cursor);
      return name;
    },
    /** What a text stands for; undefined if it was never issued. */
    find: (name: string): Cursor<AlarmRow> | undefined => issued.get(name),
    /** Whether a cursor has expired. */
    noteUse: (cursor: Cursor<AlarmRow> | null | undefined): boolean => {
      const expiry = cursor ? expiryOf(cursor, life(), moment()) : null;
      if (expiry === null) return false;
      matters('expiredCursor');
      matters(expiry === 'old' ? 'cursorLife' : 'cursorScope');
      return true;
    },
    startRead: (): void => {
      read++;
    },
  };
}
