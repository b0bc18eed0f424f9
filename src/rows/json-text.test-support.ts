import * as fc from 'fast-check';

/** Texts with other spellings, or with more digits than JSON.parse keeps; each must be emitted unchanged. */
const SCALARS = [
  '9007199254740993',
  '-9007199254740993',
  '1884518522.16842672411',
  '1.10',
  '-0.0',
  '-0',
  '1E-7',
  '1e400',
  '-1E+400',
  '0.1e1',
  'null',
  'true',
  'false',
  '""',
  '"\\u0041\\/\\"\\\\\\b\\f\\n\\r\\t"',
  '"\\ud83d\\ude9a \u{1f69a}"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"raw \u2028, \u2029 and \u0085, \u00a0\u1680\u200b\ufeff"',
  '"\\\\\u2028"',
  '"{\\"items\\":[1],\\"metadata\\":{\\"pagination\\":{}}}"',
  '"]},"',
  '"\u0000"'.replace('\u0000', '\\u0000'),
  '[]',
  '{}',
];

const NAMES = [
  '"items"',
  '"\\u0069tems"',
  '"metadata"',
  '"pagination"',
  '"__proto__"',
  '"constructor"',
  '"a"',
  '"a"',
  '""',
  '"\\ud800"',
  '"\u2028"',
  '"\\"items\\""',
  '"7"',
];

/** All whitespace that JSON allows between tokens. */
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t', '\r\n'), maxLength: 2 });

const scalar = fc.oneof(
  fc.constantFrom(...SCALARS),
  fc.json({ maxDepth: 2 }),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);

const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, scalar, tie('list'), tie('object')),
  list: fc
    .array(fc.tuple(space, tie('value'), space), { maxLength: 4 })
    .map((elements) => `[${elements.map((parts) => parts.join('')).join(',')}]`),
  object: fc.array(memberOf(tie('value')), { maxLength: 4 }).map((members) => `{${members.join(',')}}`),
}));

function memberOf(of: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(space, fc.constantFrom(...NAMES), space, space, of, space)
    .map(([before, name, after, front, inner, end]) => `${before}${name}${after}:${front}${inner}${end}`);
}

/** The text of any JSON value, including duplicate members and numbers beyond any double. */
export const jsonText = value;

/** The text of an item: an object with at least one member. */
export const itemText = fc
  .array(memberOf(value), { minLength: 1, maxLength: 5 })
  .map((members) => `{${members.join(',')}}`);

/**
 * Texts of items, most of which have the names of the previous one: some with other values or whitespace, some with an
 * escaped name, one member fewer or more, or another order.
 */
export const alikeItems = fc
  .record({
    members: fc.array(fc.tuple(fc.constantFrom(...NAMES, '"assetId"', '"a longer name"'), space, space), {
      minLength: 1,
      maxLength: 6,
    }),
    items: fc.array(
      fc.record({
        values: fc.array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...SCALARS) }, value), {
          minLength: 7,
          maxLength: 7,
        }),
        change: fc.oneof(
          { weight: 4, arbitrary: fc.constant('none') },
          fc.constantFrom('spell', 'space', 'leave out', 'add', 'turn'),
        ),
        at: fc.nat({ max: 5 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ members, items }) =>
    items.map(({ values, change, at }) => {
      const changed = members.map((member) => [...member]);
      const [place = ''] = changed[at % members.length] ?? [];
      if (change === 'spell') changed[at % members.length] = [place.replace('a', '\\u0061'), '', ''];
      if (change === 'space') changed[at % members.length] = [place, ' ', '\n'];
      if (change === 'leave out' && members.length > 1) changed.splice(at % members.length, 1);
      if (change === 'add') changed.splice(at % (members.length + 1), 0, ['"added"', '', '']);
      if (change === 'turn') changed.reverse();
      return `{${changed.map(([name, before, after], n) => `${name}${before}:${after}${values[n]}`).join(',')}}`;
    }),
  );

/** The text of a page, and the texts of its items. */
export interface PageText {
  readonly text: string;
  readonly items: readonly string[];
}

const otherMember = memberOf(value).filter((member) => !/"(items|\\u0069tems|metadata)"\s*:/.test(member));

/** A page with members in any order and spelling, and with additional ones. */
export const pageText: fc.Arbitrary<PageText> = fc
  .record({
    items: fc.array(itemText, { maxLength: 5 }),
    spaces: fc.array(space, { minLength: 20, maxLength: 20 }),
    itemsName: fc.constantFrom('"items"', '"\\u0069tems"', '"it\\u0065\\u006ds"'),
    metadataName: fc.constantFrom('"metadata"', '"m\\u0065tadata"'),
    metadata: fc.array(memberOf(value), { maxLength: 2 }),
    pagination: fc.array(memberOf(value), { maxLength: 2 }),
    itemsFirst: fc.boolean(),
    before: fc.array(otherMember, { maxLength: 2 }),
    between: fc.array(otherMember, { maxLength: 2 }),
    after: fc.array(otherMember, { maxLength: 2 }),
    // rows of an earlier member would be lost, which is an error
    earlier: fc.option(
      value.filter((json) => !/^\[\s*[^\s\]]/.test(json)),
      { nil: null },
    ),
    mark: fc.constantFrom('', '\ufeff'),
  })
  .map((parts): PageText => {
    const [a, b, c, d, e, ...gaps] = parts.spaces;
    const elements = parts.items.map(
      (item, index) => `${gaps[2 * index] ?? ''}${item}${gaps[2 * index + 1] ?? ''}`,
    );
    const items = `${a}${parts.itemsName}${b}:${c}[${elements.join(',')}]${d}`;
    const pagination = `"pagination":{${parts.pagination.join(',')}}`;
    // last, since the last of duplicate members counts
    const metadata = `${parts.metadataName}:{${[...parts.metadata, pagination].join(',')}}`;
    const main = parts.itemsFirst ? [items, ...parts.between, metadata] : [metadata, ...parts.between, items];
    const members = [
      ...(parts.earlier === null ? [] : [`"items":${parts.earlier}`]),
      ...parts.before,
      ...main,
      ...parts.after,
    ];
    return { text: `${parts.mark}${e}{${members.join(',')}}`, items: parts.items };
  });

/** True if JSON.parse accepts a text. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
