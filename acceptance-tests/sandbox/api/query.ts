import type { Knobs } from '../knobs/knobs.ts';
import { Refusal } from './refusal.ts';

/** Query parameters as they were parsed; a repeated one is a list. */
export type Query = Record<string, string | string[] | undefined>;

/** One parameter, or undefined. Throws a {@link Refusal} if it is repeated. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw new Refusal('badRequest', `${name}: given more than once`);
  return value;
}

/** A whole number of at least `least`, or undefined. Throws a {@link Refusal} for anything else. */
export function wholeNumber(query: Query, name: string, least: number): number | undefined {
  const value = single(query, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/.test(value) || Number(value) < least)
    throw new Refusal('badRequest', `${name}: an integer of at least ${least} is expected, not "${value}"`);
  return Number(value);
}

/** Throws a {@link Refusal} for parameters that the endpoint does not have, if the knob says so. */
export function checkNames(query: Query, known: readonly string[], knobs: Knobs): void {
  if (knobs.unknownParameters === 'ignored') return;
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Refusal('badRequest', `${unknown}: unknown parameter`);
}
