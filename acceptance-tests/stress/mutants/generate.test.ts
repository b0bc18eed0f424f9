import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { firstOf } from '../../../src/property-runs.test-support.ts';
import { repository } from './all.ts';
import { draw, mutantsIn, plant } from './generate.ts';
import { parse } from './syntax.ts';

/** Returns the line of each mutant, and what it changes: `1: < → <=`. */
function mutantsOf(...lines: readonly string[]): readonly string[] {
  const mutants = mutantsIn(lines.join('\n'));
  return mutants.map(({ line, change }) => `${line}: ${/«([^]*)»/.exec(change)?.[1]}`);
}

describe('mutants of a source', () => {
  test('are each condition, comparison, operator, bound, default and action of it', () => {
    const source = [
      "import { later } from './instant.ts';",
      'export function bound(rows: readonly Row[], limit = 0n): bigint {',
      '  let [count, last] = [0, limit];',
      '  for (const row of rows) {',
      '    if (row.time === undefined || !row.isNew) continue; // a < b',
      '    last = later(last, row.time as bigint);',
      '    count += 2;',
      '  }',
      '  log(count);',
      '  return count > 1 && rows[0]?.time ? last - 3n : (rows.at(-1)?.time ?? limit);',
      '}',
    ];
    expect(mutantsOf(...source)).toStrictEqual([
      '2: = 0n → ',
      '2: 0n → 1n',
      '3: 0 → 1',
      '5: if (row.time === undefined || !row.isNew) continue; → ;',
      '5: row.time === undefined || !row.isNew → !(row.time === undefined || !row.isNew)',
      '5: === → !==',
      '5: || → &&',
      '5: ! → ',
      '6: last = later(last, row.time as bigint); → ;',
      '6: later → earliest',
      '7: count += 2; → ;',
      '7: += → -=',
      '7: 2 → 1',
      '7: 2 → 3',
      '9: log(count); → ;',
      '10: count > 1 && rows[0]?.time → !(count > 1 && rows[0]?.time)',
      '10: > → >=',
      '10: > → <=',
      '10: 1 → 0',
      '10: 1 → 2',
      '10: && → ||',
      '10: 0 → 1',
      '10: ?. → .',
      '10: - → +',
      '10: 3n → 2n',
      '10: 3n → 4n',
      '10: rows.at(-1)?.time ?? → ',
      '10: - → ',
      '10: 1 → 0',
      '10: 1 → 2',
      '10: ?. → .',
      '10: ?? limit → ',
    ]);
  });

  test('keep the order in which operators bind', () => {
    expect(mutantsOf('f = a && b && c;')).toContain('1: a && b && c → ((a && b) || (c))');
    expect(mutantsOf('f = (a || b) && c;')).toContain('1: (a || b) && c → (((a || b)) || (c))');
    expect(mutantsOf('f = a ?? (b || c);')).toContain('1: b || c → ((b) && (c))');
  });

  test('leave out the end of a block that runs on a condition', () => {
    expect(mutantsOf('for (;;) {', '  if (a) {', '    b = c;', '    break;', '  }', '}')).toStrictEqual([
      '2: a → !(a)',
      '3: b = c; → ;',
      '4: break; → ;',
    ]);
  });

  test('are not in types, names or texts', () => {
    expect(
      mutantsOf('type A = 1 | -1;', 'interface B { readonly 0: true }', "const c = { 1: 'x' + d };"),
    ).toStrictEqual([]);
  });

  test('replace functions with each other, and results with what they were made of', () => {
    expect(mutantsOf('f = Math.min(a, b) + c?.filter(d).length;')).toStrictEqual([
      '1: f = Math.min(a, b) + c?.filter(d).length; → ;',
      '1: min → max',
      '1: + → -',
      '1: ?.filter(d) → ',
      '1: ?. → .',
    ]);
    expect(mutantsOf('f = a.some(b);')).toContain('1: some → every');
    expect(mutantsOf('f = [...a, { ...b }];')).toStrictEqual([
      '1: f = [...a, { ...b }]; → ;',
      '1: a → []',
      '1: b → {}',
    ]);
  });

  test('import what they call', () => {
    const source = "import { later } from './instant.ts';\nconst a = later(b, c);\n";
    const [mutant] = mutantsIn(source);
    expect(mutant && plant(source, mutant)).toBe(
      "import { later } from './instant.ts';\nconst a = earliest(b, c);\n\nimport { earliest } from './instant.ts';\n",
    );
  });

  test('are valid, and differ from each other and the source', () => {
    const folder = join(repository, 'src/paging/cursor');
    const files = readdirSync(folder).filter((file) => !file.includes('.test.') && !file.includes('.fake.'));
    for (const file of firstOf(2, files)) {
      const source = readFileSync(join(folder, file), 'utf8');
      const planted = mutantsIn(source).map((mutant) => plant(source, mutant));
      for (const text of planted) expect(() => parse(text), text).not.toThrow();
      expect(new Set([source, ...planted]).size, file).toBe(planted.length + 1);
    }
  });
});

test('a seed always draws the same mutants, in their order', () => {
  const all = Array.from({ length: 100 }, (_, at) => at);
  const drawn = draw(all, 10, 1);
  expect(drawn).toStrictEqual(draw(all, 10, 1));
  expect(drawn).toStrictEqual(drawn.toSorted((a, b) => a - b));
  expect(new Set(drawn).size).toBe(10);
  expect(drawn).not.toStrictEqual(draw(all, 10, 2));
  expect(draw(all, Infinity, 1)).toStrictEqual(all);
});
