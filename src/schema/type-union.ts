import { isIntegerText, type SampledValue } from './number-kinds.ts';

// The order in which types are listed: fixed, so that the order of rows cannot show.
const listed = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;

/** The types of draft-07 without `null`, which every declared place has anyway. */
export type ShownType = (typeof listed)[number];

/** The types that the values show: nulls show none; `number` stands for `integer` too where both occur. */
export function shownTypes(values: readonly SampledValue[]): ReadonlySet<ShownType> {
  const shown = new Set<ShownType>();
  for (const value of values) if (value !== null) shown.add(typeOf(value));
  if (shown.has('number')) shown.delete('integer');
  return shown;
}

/**
 * The type list that accepts null, all that `declared` accepts, and all that was shown: `null` first, then the declared
 * types as they stand, then what they do not cover. A declared type is never taken away.
 */
export function growTypes(declared: readonly string[], shown: ReadonlySet<ShownType>): readonly string[] {
  const kept = declared.filter((type) => type !== 'null');
  const covered = (type: ShownType) => kept.includes(type) || (type === 'integer' && kept.includes('number'));
  return ['null', ...kept, ...listed.filter((type) => shown.has(type) && !covered(type))];
}

function typeOf(value: Exclude<SampledValue, null>): ShownType {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return isIntegerText(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : 'object';
}
