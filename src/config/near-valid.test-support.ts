import * as fc from 'fast-check';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** JSON files as written by hand, truncated or damaged. */
export function nearValid(documents: readonly unknown[]): fc.Arbitrary<Buffer> {
  const document = fc.constantFrom(...documents);
  const rare = { arbitrary: nested.map((text) => Buffer.from(text)), weight: 1 };
  const usual = [
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', maxLength: 64 }).map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(text)),
    fc.tuple(document, changes).map(([valid, steps]) => asFile(steps.reduce(changed, valid as Json))),
    fc.tuple(document, damages).map(([valid, steps]) => steps.reduce(damaged, asFile(valid))),
  ];
  return fc.oneof(rare, ...usual.map((arbitrary) => ({ arbitrary, weight: 10 })));
}

/** The same document with one misspelled name: a letter is missing, repeated, or in capitals. */
export function withSlip(documents: readonly unknown[]): fc.Arbitrary<{ document: unknown; name: string }> {
  return fc
    .record({
      document: fc.constantFrom(...documents),
      which: fc.nat(),
      at: fc.nat(),
      slip: fc.constantFrom('missing', 'repeated', 'large'),
    })
    .map(({ document, which, at, slip }) => {
      const names = namesIn(document as Json);
      const place = names[which % names.length] ?? [];
      const name = String(place.at(-1));
      const letter = at % name.length;
      const now = {
        missing: '',
        repeated: name.charAt(letter).repeat(2),
        large: name.charAt(letter).toUpperCase(),
      };
      const wrong = name.slice(0, letter) + now[slip] + name.slice(letter + 1);
      return { document: renamed(document as Json, place, wrong), name };
    });
}

/** Very deeply nested brackets, closed or truncated. */
const nested = fc
  .record({
    depth: fc.constantFrom(10, 1000, 100_000),
    pair: fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"type":"STATE","state":', '}]']),
    closed: fc.boolean(),
  })
  .map(({ depth, pair: [open = '', close = ''], closed }) => {
    return `${open.repeat(depth)}1${closed ? close.repeat(depth) : ''}`;
  });

interface Change {
  readonly which: number;
  readonly kind: 'replace' | 'remove' | 'add';
  readonly value: Json;
}

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    which: fc.nat(),
    kind: fc.constantFrom('replace', 'remove', 'add'),
    value: fc.oneof(
      fc.constantFrom<Json>(null, '', 0, -1, 1.5, 1e300, true, [], {}, ' ', '\0', '__proto__', 'https://'),
      fc.jsonValue() as fc.Arbitrary<Json>,
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

/** One place in a document replaced or removed, or something added next to it. */
function changed(document: Json, { which, kind, value }: Change): Json {
  const places = placesIn(document);
  const place = places[which % places.length] ?? [];
  const [last] = place.slice(-1);
  if (last === undefined) return kind === 'replace' ? value : document;
  const copy = structuredClone(document);
  let parent = copy as Record<string, Json>;
  for (const step of place.slice(0, -1)) parent = parent[step] as Record<string, Json>;
  if (kind === 'replace') parent[last] = value;
  else if (kind === 'add') parent[`${last}2`] = value;
  else delete parent[last];
  return copy;
}

interface Damage {
  readonly at: number;
  readonly kind: 'cut' | 'drop' | 'flip' | 'insert' | 'double';
  readonly byte: number;
}

const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('cut', 'drop', 'flip', 'insert', 'double'),
    byte: fc.nat(255),
  }),
  { minLength: 1, maxLength: 3 },
);

/** A file that is truncated, has a removed, changed or inserted byte, or a repeated part. */
function damaged(file: Buffer, { at, kind, byte }: Damage): Buffer {
  const place = file.length === 0 ? 0 : at % file.length;
  const [before, after] = [file.subarray(0, place), file.subarray(place)];
  if (kind === 'cut') return before;
  if (kind === 'drop') return Buffer.concat([before, after.subarray(1)]);
  if (kind === 'flip') return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)]);
  if (kind === 'insert') return Buffer.concat([before, Buffer.from([byte]), after]);
  return Buffer.concat([before, after.subarray(0, byte), after]);
}

function asFile(document: unknown): Buffer {
  return Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
}

type Place = readonly string[];

/** The path to each value in a document, and to the root. */
function placesIn(document: Json): Place[] {
  if (typeof document !== 'object' || document === null) return [[]];
  return [
    [],
    ...Object.entries(document).flatMap(([name, inner]) => placesIn(inner).map((place) => [name, ...place])),
  ];
}

function namesIn(document: Json): Place[] {
  return placesIn(document).filter((place) => /^\D/.test(place.at(-1) ?? ''));
}

function renamed(document: Json, [first, ...rest]: Place, name: string): Json {
  if (typeof document !== 'object' || document === null) return document;
  if (Array.isArray(document))
    return document.map((inner, index) => (String(index) === first ? renamed(inner, rest, name) : inner));
  const entries = Object.entries(document).map(([key, inner]): [string, Json] => {
    if (key !== first) return [key, inner];
    return rest.length === 0 ? [name, inner] : [key, renamed(inner, rest, name)];
  });
  return Object.fromEntries(entries);
}
