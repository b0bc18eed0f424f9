import type { JsonFault } from '../rows/json-fault.ts';
import { NOT_FILLED_IN } from './value-hint.ts';

type Habits = readonly (readonly [at: RegExp, problem: string])[];

const PLACEHOLDER = `this ${NOT_FILLED_IN}`;

/** What people write instead of JSON, by what is at a faulty place. */
const HABITS: Habits = [
  [/\/[/*]|#/y, 'JSON has no comments; remove it, or use a key that begins with _'],
  [/'/y, 'JSON has no single quotes; write " instead of \''],
  [/[\u201c-\u201f\u00ab\u00bb]/y, 'JSON has no typographic quotes; write " instead'],
  [/[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/y, 'this is not an ordinary blank, though it looks like one'],
  [/\$[{(]?\w|(?<=\{)\{/y, PLACEHOLDER],
  [/\.{3}|\u2026/y, 'this stands for something that was left out; fill it in, or remove it'],
  // eslint-disable-next-line no-control-regex
  [/\0/y, 'zero bytes begin here, as in a file that was not written to its end; write it again'],
  [/(?<=[:,[\s-]0)[xXoObB\d]/y, 'JSON has only decimal numbers, without zeros in front'],
];

/** What people write instead of a JSON value, after the beginning of a document. */
const VALUES: Habits = [
  [/<[^<>\n]+>|%\w+%|@\w+@/y, PLACEHOLDER],
  [/(?:true|false)\b/iy, 'JSON writes true and false in small letters'],
  [/(?:null|none|nil|undefined)\b/iy, 'JSON writes null where there is no value'],
  [/[+-]?(?:NaN|inf(?:inity)?)\b/iy, 'JSON has no such number; write another one, or null'],
  [/[+.]\d/y, 'a number in JSON begins with a digit or -'],
  [/[\p{L}_]/uy, 'expected a value; a text must be in double quotes'],
];

/** A key without quotes, or the mark of a document. */
const YAML = /^\s*(?:#[^\n]*\n\s*)*(?:---|[A-Za-z_][\w.-]*\s*:(?:\s|$)|- )/;

const NO_JSON = 'the file must be JSON, which begins with { or [; this is something else';

const NO_COMMA = /^there must be no comma before the [}\]] that follows/;

/** The problem of a fault in an input file, or the habit that explains it. */
export function explained(text: string, { at, problem }: JsonFault): string {
  if (YAML.test(text)) return 'this looks like YAML; the file must be JSON';
  const habit = habitAt(text, at, HABITS);
  if (habit !== null) return habit;
  // whatever it is, its first character is no better an explanation
  if (problem === 'expected a value' && /^\s*$/.test(text.slice(0, at)) && at < text.length) return NO_JSON;
  const value = problem.startsWith('expected a value') ? habitAt(text, at, VALUES) : null;
  return value ?? problem.replace(NO_COMMA, (whole) => `${whole} (a trailing comma)`);
}

function habitAt(text: string, at: number, habits: Habits): string | null {
  const found = habits.find(([habit]) => {
    habit.lastIndex = at;
    return habit.test(text);
  });
  return found?.[1] ?? null;
}
