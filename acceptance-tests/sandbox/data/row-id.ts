import type { ListName } from '../client-types.ts';
import { hex16, hex32 } from './fast-text.ts';
import { mix } from './random.ts';

/** A number for each list, to keep their random choices apart. */
export const kindNumber: Record<ListName, number> = { assets: 1, alarms: 2 };

/** The UUID of row number `row` of a list: a pure function of its arguments, distinct for distinct rows. */
export function rowId(seed: number, kind: ListName, row: number): string {
  const list = kindNumber[kind];
  const first = mix(seed, list, row, 1);
  const middle = mix(seed, list, row, 2);
  const fourth = mix(seed, list, row, 3);
  const version = 0x4000 | (middle & 0xfff);
  const variant = 0x8000 | (fourth & 0x3fff);
  const last = hex16(fourth >>> 16) + hex32(masked(row, first, seed, list));
  return `${hex32(first)}-${hex16(middle >>> 16)}-${hex16(version)}-${hex16(variant)}-${last}`;
}

/** The row number that {@link rowId} was given, or undefined if the text is no id of that list. */
export function rowOfId(seed: number, kind: ListName, id: string): number | undefined {
  const first = Number.parseInt(id.slice(0, 8), 16);
  const row = masked(Number.parseInt(id.slice(28), 16), first, seed, kindNumber[kind]);
  return rowId(seed, kind, row) === id ? row : undefined;
}

/** Hides a row number under a mask; hides and uncovers alike. */
function masked(row: number, first: number, seed: number, list: number): number {
  return (row ^ mix(first, seed, list, 4)) >>> 0;
}
