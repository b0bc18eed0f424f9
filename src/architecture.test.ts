import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

const SRC = import.meta.dirname;

/**
 * The ranks of `src/`, from the outside in. A file may import from its own folder and from any lower rank, never from
 * a higher rank and never from another folder of its own rank. A name without a folder is a file directly under `src/`.
 */
const RANKS: readonly (readonly string[])[] = [
  ['main'],
  ['cli', 'process-end', 'working-folder'],
  ['commands/'],
  ['sync/'],
  ['streams/'],
  ['paging/', 'api/', 'schema/'],
  ['token/'],
  ['http/'],
  ['config/'],
  ['protocol/'],
  ['rows/'],
  ['clock'],
  ['limits', 'standard-streams'],
  ['errors'],
  ['generated/'],
];

const FILE_IMPORT =
  /^(?:import|export)\b[^'";]*?(?:\bfrom\s*)?'(\.{1,2}\/[^']+)'|\bimport\('(\.{1,2}\/[^']+)'\)/gms;

/** Data outside `src/` that is shipped too. */
const DATA = /^(package\.json|spec\.json|schemas\/\w+\.json)$/;

interface Import {
  readonly from: string; // both relative to `src/`, with slashes
  readonly to: string;
}

function isShipped(file: string): boolean {
  return file.endsWith('.ts') && !/\.(test|test-support|fake)\.ts$/.test(file);
}

function importsOf(file: string, text: string): readonly Import[] {
  return [...text.matchAll(FILE_IMPORT)].map(([, declared, loaded]) => {
    const to = relative(SRC, join(SRC, dirname(file), declared ?? loaded ?? ''))
      .split(sep)
      .join('/');
    // AssemblyScript leaves out the ending
    return { from: file, to: to.endsWith('.assembly') ? `${to}.ts` : to };
  });
}

function unitOf(file: string): string {
  const folder = file.indexOf('/');
  return folder === -1 ? file.replace(/\.ts$/, '') : file.slice(0, folder + 1);
}

/** What is wrong with an import, or null. */
function fault({ from, to }: Import): string | null {
  if (to.startsWith('../')) return DATA.test(to.slice(3)) ? null : `${from} imports ${to}, outside of src`;
  if (to.endsWith('.json'))
    return unitOf(from) === unitOf(to) ? null : `${from} imports ${to} of another folder`;
  if (!isShipped(to)) return `${from} imports ${to}, which does not ship`;
  const [own, other] = [unitOf(from), unitOf(to)];
  if (own === other) return null;
  const [rank, otherRank] = [own, other].map((unit) => RANKS.findIndex((units) => units.includes(unit)));
  if (rank === -1 || otherRank === -1) return `${from} imports ${to}: one of them has no rank`;
  return Number(otherRank) > Number(rank) ? null : `${from} imports ${to}, which is not of a lower rank`;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(sep).join('/'))
  .filter(isShipped);

test('paging returns causes as data: it makes no messages and knows no setting', () => {
  const settings = /\b\w+_(?:field|size|seconds|date|chains|rows)\b/;
  const found = files
    .filter((file) => file.startsWith('paging/'))
    .flatMap((file) => {
      const text = readFileSync(join(SRC, file), 'utf8');
      const makers = importsOf(file, text).filter(({ to }) => to.startsWith('protocol/messages'));
      const named = settings.exec(text.replaceAll(/\/\*.*?\*\/|\/\/.*$/gms, ''));
      return [
        ...makers.map(({ to }) => `${file} imports ${to}`),
        ...(named === null ? [] : [`${file}: ${named[0]}`]),
      ];
    });
  expect(found).toStrictEqual([]);
});

test('imports go from the outside in', () => {
  const imports = files.flatMap((file) => importsOf(file, readFileSync(join(SRC, file), 'utf8')));
  expect(imports.map(fault).filter((message) => message !== null)).toStrictEqual([]);
  // the pattern has found them at all
  expect(imports).toContainEqual({ from: 'main.ts', to: 'cli.ts' });
  expect(imports).toContainEqual({ from: 'main.ts', to: 'commands/read.ts' });
  expect(imports).toContainEqual({ from: 'config/config.ts', to: '../spec.json' });
  expect(imports.length).toBeGreaterThan(files.length);
});

/** The files that are loaded with a file, except those that are imported on demand. */
function loadedWith(file: string, found: Set<string>): Set<string> {
  if (!file.endsWith('.ts') || found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(SRC, file), 'utf8').replaceAll(
    /^import type\b[^;]*;|\bimport\('[^']*'\)/gm,
    '',
  );
  for (const { to } of importsOf(file, text)) loadedWith(to, found);
  return found;
}

test('the schemas of inputs are compiled only by commands that read inputs', () => {
  expect(loadedWith('main.ts', new Set())).toContain('http/proxy.ts');
  expect(loadedWith('main.ts', new Set())).not.toContain('config/validator.ts');
  expect(loadedWith('commands/connector.ts', new Set())).toContain('config/validator.ts');
});

test('every file has a rank', () => {
  expect(files.filter((file) => !RANKS.flat().includes(unitOf(file)))).toStrictEqual([]);
});

test('the model of the lists knows nothing of the connector and its tests', () => {
  const folder = join(SRC, '../acceptance-tests/model');
  const model = readdirSync(folder).filter(isShipped);
  const imports = model.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/ from '(.+)'/g)].map(([, from]) => from),
  );
  expect(imports).toContain('./answer.ts');
  expect(imports.filter((from) => from?.startsWith('./') !== true)).toStrictEqual([]);
});

test('the predefined lists are named only in the registry', () => {
  const naming = files.filter((file) => /asset|(?<!sc)alarm/i.test(readFileSync(join(SRC, file), 'utf8')));
  expect(naming.filter((file) => !file.startsWith('generated/'))).toStrictEqual(['streams/registry.ts']);
});

test.each([
  [
    "import { a } from '../streams/stream.ts';",
    'api/a.ts imports streams/stream.ts, which is not of a lower rank',
  ],
  ["import type { A } from '../paging/a.ts';", 'api/a.ts imports paging/a.ts, which is not of a lower rank'],
  [
    "import {\n  a,\n  b,\n} from '../sync/run.ts';",
    'api/a.ts imports sync/run.ts, which is not of a lower rank',
  ],
  ["export { a } from '../cli.ts';", 'api/a.ts imports cli.ts, which is not of a lower rank'],
  ["const a = await import('../main.ts');", 'api/a.ts imports main.ts, which is not of a lower rank'],
  ["import '../commands/read.ts';", 'api/a.ts imports commands/read.ts, which is not of a lower rank'],
  ["import { a } from './b.test-support.ts';", 'api/a.ts imports api/b.test-support.ts, which does not ship'],
  [
    "import { a } from '../../acceptance-tests/a.ts';",
    'api/a.ts imports ../acceptance-tests/a.ts, outside of src',
  ],
  ["import { a } from '../new/a.ts';", 'api/a.ts imports new/a.ts: one of them has no rank'],
  ["import a from '../streams/a.json' with {};", 'api/a.ts imports streams/a.json of another folder'],
])('%j is reported', (text, message) => {
  expect(importsOf('api/a.ts', text).map(fault)).toStrictEqual([message]);
});
