import type { ListName } from '../client-types.ts';
import { fraction } from './random.ts';
import { kindNumber } from './row-id.ts';

const yearMicros = 365 * 86_400 * 1_000_000;
const firstMicros: Record<ListName, number> = {
  assets: Date.UTC(2024, 0, 1) * 1000,
  alarms: Date.UTC(2025, 0, 1) * 1000,
};

/**
 * The created times, in microseconds, of the rows that a world starts with: ascending with the row number, spread over
 * 2024 (assets) or 2025 (alarms), about one in eight equal to the one before it. They depend on the seed, never on today.
 */
export function firstCreated(seed: number, kind: ListName, count: number): (row: number) => number {
  const list = kindNumber[kind];
  const step = yearMicros / Math.max(1, count);
  return (row) => {
    let slot = row;
    while (slot % 16 !== 0 && fraction(seed, list, slot, 5) < 1 / 8) slot -= 1;
    return firstMicros[kind] + Math.floor((slot + fraction(seed, list, slot, 6)) * step);
  };
}
