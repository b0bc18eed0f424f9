import { counted, listed, quoted } from '../protocol/messages.ts';

const MAX_BYTES = 16 * 1024 * 1024; // of a body that is parsed: its values take many times as much memory
const MAX_INNER = 4; // names listed of an object in an object
/** Members of objects that report a failure. They may pass, whatever the status says. */
const FAILURE = /error|fault|exception/i;
const FAILURE_TEXT = /^(message|msg|detail|details|reason)$/i;

type Members = Readonly<Record<string, unknown>>;

/**
 * Describes a JSON body that is not a page because it has another shape, such as `an object with "data" (an array of 40 objects) and
 * "totalPages"`, and whether there are rows in it. Null if it is a page, reports a failure, is no JSON, or contains nothing that could
 * be rows or fields.
 */
export function describeShape(body: Buffer): Shape | null {
  const value = parsed(body);
  if (Array.isArray(value)) return shapeOf(value);
  if (!isObject(value) || Object.keys(value).length === 0) return null;
  const { items, metadata } = value;
  const hasItems = Array.isArray(items) || items === null;
  const isPage = hasItems && isObject(metadata) && isObject(metadata['pagination']);
  return isPage || reportsFailure(value) ? null : shapeOf(value);
}

type Shape = Readonly<{ words: string; hasRows: boolean }>;

function shapeOf(value: readonly unknown[] | Members): Shape {
  return { words: describeValue(value, 0), hasRows: hasRows(value, 2) };
}

/** True if there are objects in an array, down to a depth, or what a page has beside its rows. */
function hasRows(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return value.some(isObject);
  if (!isObject(value)) return false;
  const { metadata } = value;
  if (isObject(metadata) && isObject(metadata['pagination'])) return true;
  return depth > 0 && Object.values(value).some((member) => hasRows(member, depth - 1));
}

function parsed(body: Buffer): unknown {
  if (body.length > MAX_BYTES) return undefined;
  try {
    return JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rows may come with a message such as "OK"; a failure comes without. */
function reportsFailure(value: Members): boolean {
  const members = Object.entries(value).filter(([, one]) => one !== null && one !== false && one !== '');
  if (members.some(([name]) => FAILURE.test(name))) return true;
  const hasArray = members.some(([, one]) => Array.isArray(one) || (isObject(one) && hasArrayIn(one)));
  return !hasArray && members.some(([name, one]) => FAILURE_TEXT.test(name) && typeof one === 'string');
}

const hasArrayIn = (value: Members): boolean => Object.values(value).some(Array.isArray);

/** Describes a value, and up to two levels of what is in it, without the texts and numbers. */
function describeValue(value: unknown, depth: number): string {
  if (Array.isArray(value)) return describeArray(value);
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'an empty object';
  if (depth > 0)
    return `an object with ${listed(names.slice(0, MAX_INNER), quoted)}${names.length > MAX_INNER ? ', …' : ''}`;
  const members = listed(Object.entries(value), ([name, one]) => {
    const isNested = typeof one === 'object' || name === 'items';
    return isNested ? `${quoted(name)} (${describeValue(one, depth + 1)})` : quoted(name);
  });
  return `an object with ${members}`;
}

function describeArray(value: readonly unknown[]): string {
  if (value.length === 0) return 'an empty array';
  const isOfObjects = value.every(isObject);
  return `an array of ${isOfObjects ? counted(value.length, 'object', 'objects') : counted(value.length, 'value', 'values')}`;
}
