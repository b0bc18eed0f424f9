import { plantedIn } from './mutant.ts';

/** Faults in schemas and in what rows are told to hold. */
export const SCHEMA_MUTANTS = [
  ...plantedIn('src/schema/value-kinds.ts', ['src/schema/value-kinds.test.ts'], {
    'integers beyond 64 bits pass for integers': 'const SURE_DIGITS = «18 → 20»;',
    'February 30 passes for a time':
      'return !Number.isNaN(start)« && new Date(start).toISOString().startsWith(day) → »;',
  }),
  ...plantedIn('src/schema/widen-schema.ts', ['src/schema/widen-schema.test.ts'], {
    'a field of times and other texts is declared as times':
      "place.kinds.«size === 1 && place.kinds. → »has('time')",
    'a field that was found is declared as never null':
      "type: «['null', ...typesOf(place.kinds)] → typesOf(place.kinds)»,",
  }),
  ...plantedIn('src/schema/compare-rows.ts', ['src/schema/compare-rows.test.ts'], {
    'one warning more than the most': 'messages++ >«= → » MOST_MESSAGES',
  }),
  ...plantedIn('src/schema/value-fault.ts', ['src/schema/compare-rows.test.ts'], {
    'decimals that a column of nine places cuts are not told':
      '«(keepsDouble(text) && (isText || keepsDecimal(text)) → keepsDouble(text»)',
  }),
];
