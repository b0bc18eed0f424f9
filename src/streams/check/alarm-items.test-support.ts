const MINUTE_MS = 60_000;
export const START_MS = Date.parse('2026-03-01T00:00:00Z');

export type Item = Readonly<Record<string, unknown>>;

export const isoAt = (minutes: number): string => new Date(START_MS + minutes * MINUTE_MS).toISOString();

/** Alarms every ten minutes; one event in ten is uploaded 33 hours later, and two alarms in three are still open. */
export const alarm = (index: number): Item => ({
  alarmId: `a${index}`,
  assetId: `asset${index}`,
  createdDate: isoAt(index * 10),
  eventDate: isoAt(index * 10 - (index % 10 === 7 ? 2000 : 1)),
  closedDate: index % 3 === 0 ? isoAt(index * 10 + 90) : null,
});
