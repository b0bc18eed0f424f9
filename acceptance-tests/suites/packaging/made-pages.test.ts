import { join } from 'node:path';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { readSpec } from '../conformance/schema.ts';
import { repository, textOf } from './versions.ts';

/** What is told of a key in spec.json. */
interface Key {
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly const?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Key>>;
  readonly oneOf?: readonly Key[];
}

test('docs/configuration.md has the keys of spec.json; `npm run generate` writes them', async () => {
  const rows = rowsOf(readSpec().connectionSpecification as Key, '');
  await expectMade('docs/configuration.md', 'spec.json', ['key', 'meaning', 'default'], rows);
});

/** The rows of an object's keys, and of the keys within them. */
function rowsOf({ properties = {}, required = [] }: Key, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, key]) => {
    const path = `${prefix}${name}`;
    const isRequired = required.includes(name);
    const preset =
      key.default === undefined ? (isRequired ? 'required' : '–') : `\`${JSON.stringify(key.default)}\``;
    const variants = (key.oneOf ?? []).map((variant) => {
      const { kind, ...others } = variant.properties ?? {};
      const value = [`"kind": "${kind?.const}"`, ...Object.keys(others).map((other) => `"${other}": […]`)];
      return [`\`${path}\`: \`{${value.join(', ')}}\``, variant.description ?? '', ''];
    });
    return [
      [`\`${path}\``, `${key.description}${bounds(key)}`, preset],
      ...variants,
      ...rowsOf(key, `${path}.`),
    ];
  });
}

const words = (bound: number): string => bound.toLocaleString('en');

function bounds({ minimum, maximum }: Key): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` At least ${words(minimum)}.` : ` ${words(minimum)} to ${words(maximum)}.`;
}

/** The table stands between the marks of a page, formatted; where it does not, `--update` puts it there. */
async function expectMade(
  page: string,
  source: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const text = textOf(page);
  const begin = `<!-- made from ${source} by \`npm run generate\` -->\n`;
  const end = '\n<!-- end of what is made -->';
  const [before, rest = ''] = text.split(begin);
  const [, after] = rest.split(end);
  expect(after, `${page} has no marks`).toBeDefined();
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const table = await format(lines.join('\n'), { parser: 'markdown', printWidth: 110 });
  await expect(`${before}${begin}\n${table}${end}${after}`).toMatchFileSnapshot(join(repository, page));
}
