import { sampledKind } from './number-kinds.ts';
import type { NumberKind, SampledValue } from './number-kinds.ts';
import { isUtcTime } from './utc-time.ts';

/** Levels of nesting that are looked at: what an object or array holds at this level (a row is level 0) is not. */
export const maxLevels = 8;

/** Names of one object that are kept: of more, the first ones by code units. */
export const maxNames = 1_000;

/** What a value can be, as far as schemas tell values apart. `null` is none of them: every place may hold it. */
export type Kind = NumberKind | 'time' | 'text' | 'boolean' | 'object' | 'array';

/**
 * What has been seen at a place of the rows. It says which kinds there were and never how often or in which order, so that
 * rows without anything new in kind leave it as it is.
 */
export interface SeenPlace {
  readonly kinds: Set<Kind>;
  readonly members: Map<string, SeenPlace>;
  /** What arrays held; null while there was nothing in any. */
  elements: SeenPlace | null;
}

export function nothingSeen(): SeenPlace {
  return { kinds: new Set(), members: new Map(), elements: null };
}

/** Adds a value, which stands at `level`, to what was seen at a place. */
export function see(place: SeenPlace, value: SampledValue, level: number): void {
  if (value === null) return;
  place.kinds.add(kindOf(value));
  if (typeof value !== 'object' || level >= maxLevels) return;
  if (Array.isArray(value)) {
    for (const element of value) see((place.elements ??= nothingSeen()), element, level + 1);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    let inside = place.members.get(name);
    if (inside === undefined) place.members.set(name, (inside = nothingSeen()));
    see(inside, member, level + 1);
  }
  // a name among the first of all is among the first of those so far, so that nothing of it is lost here
  if (place.members.size > 2 * maxNames)
    for (const name of sortedNames(place).slice(maxNames)) place.members.delete(name);
}

/** The names of the members seen, by code units. */
export function sortedNames({ members }: SeenPlace): readonly string[] {
  return [...members.keys()].toSorted((a, b) => (a < b ? -1 : 1));
}

function kindOf(value: Exclude<SampledValue, null>): Kind {
  if (typeof value === 'string') return isUtcTime(value) ? 'time' : 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return sampledKind(value);
  return Array.isArray(value) ? 'array' : 'object';
}
