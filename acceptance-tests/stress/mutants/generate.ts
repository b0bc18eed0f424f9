import { createRandom } from '../../sandbox/data/random.ts';
import { MUTATORS, type Edit } from './mutators.ts';
import { placesIn } from './syntax.ts';

/** A fault that follows from the syntax of a source. */
export interface GeneratedMutant extends Edit {
  readonly line: number; // from 1
  readonly change: string; // in its line: `if (a «< → <=» b)`
}

/** Returns all mutants of a TypeScript source, in its order. Throws if it is not valid. */
export function mutantsIn(source: string): readonly GeneratedMutant[] {
  const edits = placesIn(source).flatMap((place) => MUTATORS[place.node.type]?.(place, source) ?? []);
  return edits
    .toSorted((a, b) => a.start - b.start)
    .map((edit) => ({
      ...edit,
      line: source.slice(0, edit.start).split('\n').length,
      change: changeOf(source, edit),
    }));
}

/** Returns a source with a mutant in it. Lines keep their numbers, except within the mutant. */
export function plant(source: string, { start, end, text }: Edit): string {
  return source.slice(0, start) + text + source.slice(end) + importFor(source, text);
}

/** Returns the import of a function that a mutant calls but the source does not import. */
function importFor(source: string, name: string): string {
  const other = { later: 'earliest', earliest: 'later' }[name];
  if (other === undefined) return '';
  const imports = [...source.matchAll(/^import \{([^}]*)\} from '([^']*)'/gm)];
  const found = imports.find(([, names = '']) => names.split(/\W+/).includes(other));
  if (found === undefined || (found[1] ?? '').split(/\W+/).includes(name)) return '';
  return `\nimport { ${name} } from '${found[2]}';\n`;
}

/** Draws a number of things, in their order; the same ones for a seed. */
export function draw<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const random = createRandom(seed);
  const ranked = all.map((one, at) => ({ one, at, rank: random.bits() }));
  const drawn = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, count);
  return drawn.toSorted((a, b) => a.at - b.at).map(({ one }) => one);
}

function changeOf(source: string, { start, end, text }: Edit): string {
  const before = source.slice(source.lastIndexOf('\n', start - 1) + 1, start).trimStart();
  const [after = ''] = source.slice(end).split('\n');
  return `${before}«${brief(source.slice(start, end))} → ${brief(text)}»${after}`;
}

const MAX_LENGTH = 90;

function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_LENGTH
    ? line
    : `${line.slice(0, MAX_LENGTH / 2)} … ${line.slice(-MAX_LENGTH / 2)}`;
}
