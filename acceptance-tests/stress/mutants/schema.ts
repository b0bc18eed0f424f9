import type { Mutant } from './mutant.ts';

/** Faults in schemas and in what rows are told to hold. */
export const SCHEMA_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/schema/value-kinds.ts',
    text: 'const SURE_DIGITS = 18;',
    planted: 'const SURE_DIGITS = 20;',
    breaks: 'integers beyond 64 bits pass for integers',
    nearest: ['src/schema/value-kinds.test.ts'],
  },
  {
    file: 'src/schema/value-kinds.ts',
    text: 'return !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);',
    planted: 'return !Number.isNaN(start);',
    breaks: 'February 30 passes for a time',
    nearest: ['src/schema/value-kinds.test.ts'],
  },
  {
    file: 'src/schema/widen-schema.ts',
    text: "place.kinds.size === 1 && place.kinds.has('time')",
    planted: "place.kinds.has('time')",
    breaks: 'a field of times and other texts is declared as times',
    nearest: ['src/schema/widen-schema.test.ts'],
  },
  {
    file: 'src/schema/widen-schema.ts',
    text: "type: ['null', ...typesOf(place.kinds)],",
    planted: 'type: typesOf(place.kinds),',
    breaks: 'a field that was found is declared as never null',
    nearest: ['src/schema/widen-schema.test.ts'],
  },
  {
    file: 'src/schema/compare-rows.ts',
    text: 'messages++ >= MOST_MESSAGES',
    planted: 'messages++ > MOST_MESSAGES',
    breaks: 'one warning more than the most',
    nearest: ['src/schema/compare-rows.test.ts'],
  },
  {
    file: 'src/schema/value-fault.ts',
    text: '(keepsDouble(text) && (isText || keepsDecimal(text)))',
    planted: 'keepsDouble(text)',
    breaks: 'decimals that a column of nine places cuts are not told',
    nearest: ['src/schema/compare-rows.test.ts'],
  },
];
