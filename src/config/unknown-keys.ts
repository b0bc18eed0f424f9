import { listed, quoted } from '../protocol/messages.ts';
import { isObject, keyName } from './files.ts';
import { nearName } from './near-name.ts';

/** The parts of the config schema that are used to find keys. */
export interface SchemaNode {
  readonly group?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
}

/** A key that is not in the schema. */
export interface UnknownKey {
  readonly object: string; // the path of the object that contains it, with a dot at the end; empty for the document
  readonly key: string;
  readonly known: readonly string[]; // the keys that the object may have
  readonly absent: readonly string[]; // those of them that it does not have
  readonly inner: readonly string[]; // those of them that the value of the key has instead
  readonly elsewhere: string | null; // the path of an object that may have the key, or of one like it; empty for the document
}

/** For example `"lists[0].pagesize" (did you mean "lists[0].page_size"?)`. */
export function describeUnknown(unknown: UnknownKey): string {
  const advice = adviceAbout(unknown);
  return quoted(unknown.object + keyName(unknown.key)) + (advice === null ? '' : ` (${advice})`);
}

function adviceAbout({ object, key, known, absent, inner, elsewhere }: UnknownKey): string | null {
  const place = object === '' ? 'the top level' : quoted(object.slice(0, -1));
  if (inner.length > 0) return `move ${listed(inner, quoted)} out of it, to ${place}`;
  const near = nearName(key, known);
  if (near === null && elsewhere === '') return 'it belongs to the top level';
  if (near === null && elsewhere !== null && object === '')
    return `it belongs inside a list, such as ${quoted(elsewhere)}`;
  const meant = near ?? relatedName(key, absent);
  return meant === null ? null : `did you mean ${quoted(object + meant)}?`;
}

/** Returns the only name that ends like another one: `client_secret` for `secret`, and `auth_url` for `token_url`; null if there is none. */
function relatedName(name: string, known: readonly string[]): string | null {
  const [end = ''] = /[a-z]+$/.exec(name.toLowerCase()) ?? [];
  const related = known.filter((each) => each.endsWith(`_${end}`));
  return related.length === 1 && related[0] !== undefined ? related[0] : null;
}

/** Returns the keys of a config that are not in its schema; platforms and their tests add keys that begin with an underscore. */
export function unknownKeys(document: unknown, schema: SchemaNode): UnknownKey[] {
  const lists = Object.entries(schema.properties ?? {}).filter(
    ([, { group, properties }]) => group === 'streams' && properties,
  );
  const placeOf = (key: string): string | null => {
    if (Object.hasOwn(schema.properties ?? {}, key)) return '';
    return lists.find(([, { properties = {} }]) => Object.hasOwn(properties, key))?.[0] ?? null;
  };
  return keysIn(document, schema, '').map((found) => ({ ...found, elsewhere: placeOf(found.key) }));
}

function keysIn(
  value: unknown,
  { properties, oneOf = [], items }: SchemaNode,
  path: string,
): Omit<UnknownKey, 'elsewhere'>[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => keysIn(item, items ?? {}, `${path}[${index}]`));
  if (!isObject(value)) return [];
  // the constants identify the variant
  const variant = oneOf.find((each) =>
    Object.entries(each.properties ?? {}).every(([key, node]) =>
      [undefined, value[key]].includes(node.const),
    ),
  );
  const nodes = new Map(Object.entries({ ...properties, ...variant?.properties }));
  if (nodes.size === 0) return [];
  const known = [...nodes.keys()];
  const absent = known.filter((key) => !Object.hasOwn(value, key));
  const object = path === '' ? '' : `${path}.`;
  return Object.entries(value).flatMap(([key, member]) => {
    if (key.startsWith('_')) return [];
    const node = nodes.get(key);
    if (node !== undefined) return keysIn(member, node, `${object}${key}`);
    const inner = isObject(member) ? absent.filter((each) => Object.hasOwn(member, each)) : [];
    return [{ object, key, known, absent, inner }];
  });
}
