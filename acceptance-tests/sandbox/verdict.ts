import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { selectedTexts } from './ground-truth.ts';
import { listNames, lists } from './lists.ts';
import type { ListName } from './lists.ts';
import { scenarioIn } from './scenario.ts';
import type { Scenarios, ServedScenario } from './scenario.ts';

/** How rows that were read differ from those of a list, by id; `repeated` has an id for each further time. */
export type Differences = ReturnType<typeof compareItems>;
export type Verdict = Awaited<ReturnType<typeof judge>>;
type Item = readonly [id: string, value: unknown];
type Members = Readonly<Record<string, unknown>>;
interface Query {
  readonly list: ListName;
  readonly loose?: string;
}

const MAX_BODY = 400 * 1024 * 1024;
const MAX_IDS = 20;
const KINDS =
  'RECORD STATE LOG TRACE CONTROL SPEC CATALOG CONNECTION_STATUS SCHEMA ACTIVATE_VERSION BATCH'.split(' ');

/** Compares items that were read with the ids that must be among them, and with all that may be, by their values. */
export function compareItems(
  given: readonly Item[],
  wanted: readonly string[],
  known: ReadonlyMap<string, unknown>,
  isSame: (sent: unknown, given: unknown) => boolean,
) {
  const found = new Set<string>();
  const repeated = given.flatMap(([id]) => (found.size === found.add(id).size ? [id] : []));
  const altered = given.flatMap(([id, value]) =>
    known.has(id) && !isSame(known.get(id), value) ? [id] : [],
  );
  return {
    lost: wanted.filter((id) => !found.has(id)),
    repeated,
    altered: [...new Set(altered)],
    unknown: [...found].filter((id) => !known.has(id)),
  };
}

/** Adds the endpoint that judges what a client has read since the last mark. */
export function addVerdictRoute(app: FastifyInstance, scenarios: Scenarios): void {
  // lines of JSON, whatever the client calls them
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BODY }, (_request, body, done) =>
    done(null, body),
  );
  const list = { enum: listNames };
  const loose = { enum: ['true'], description: 'names and times as tables have them, null as absent' };
  const querystring = { type: 'object', required: ['list'], properties: { list, loose } };
  const summary = 'Judge the rows of a list that a client has read since the last mark, as JSON lines';
  const schema = { tags: ['worlds'], summary, querystring };
  app.post('/worlds/:id/verdict', { schema }, ({ params, query, body }) =>
    judge(scenarioIn(scenarios, (params as { id: string }).id), query as Query, (body ?? '') as string),
  );
}

async function judge(scenario: ServedScenario, { list, loose }: Query, body: string) {
  const isLoose = loose !== undefined;
  const key = loosened(lists[list].key ?? '');
  const itemOf = (row: Members): Item => {
    const [, id] = Object.entries(row).find(([name]) => loosened(name) === key) ?? [];
    // a row without a key is known by its members
    return [
      typeof id === 'string'
        ? id.slice(1)
        : JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      row,
    ];
  };
  const given = rowsIn(body, list, isLoose).map(itemOf);
  const wanted: Item[] = [];
  for await (const texts of selectedTexts(scenario, list, { since: scenario.measuredFrom }))
    wanted.push(...texts.map((text) => itemOf(exactValue(text, isLoose) as Members)));
  const known = new Map<string, unknown>();
  for await (const texts of selectedTexts(scenario, list, { lived: 0 }))
    for (const text of texts) known.set(...itemOf(exactValue(text, isLoose) as Members));
  const ids = wanted.map(([id]) => id);
  const differences = compareItems(given, ids, known, (sent, read) => isSameRow(sent, read, isLoose));
  const { lost, repeated, altered, unknown } = differences;
  const others = unknown.length === 0 ? '' : `, ${number(unknown)} unknown`;
  const says = `${number(lost)} of ${number(wanted)} rows lost, ${number(repeated)} repeated, ${number(altered)} altered${others}`;
  scenario.judged = { list, says, differences };
  return {
    list,
    rows: given.length,
    lost: shown(lost),
    repeated: shown(repeated),
    altered: shown(altered),
    unknown: shown(unknown),
    says,
  };
}

const number = (rows: readonly unknown[]): string => rows.length.toLocaleString('en');
const shown = (rows: readonly string[]) => ({
  count: rows.length,
  ids: rows.slice(0, MAX_IDS).map((id) => id.slice(0, 100)),
});

/** The rows of a list in JSON lines: plain ones, and those in RECORD messages of connectors and of taps. */
function rowsIn(body: string, list: ListName, isLoose: boolean): Members[] {
  return body.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = isObject(parsed(line)) ? (exactValue(line, isLoose) as Members) : null;
    if (value === null)
      throw Object.assign(new Error(`line ${index + 1} is not a JSON object`), { statusCode: 400 });
    if (!KINDS.some((kind) => value['type'] === `s${kind}`)) return [value];
    const record = value['record'];
    if (value['type'] !== 'sRECORD' || !isObject(record)) return [];
    const [stream, row] = 'stream' in value ? [value['stream'], record] : [record['stream'], record['data']];
    return stream === `s${list}` && isObject(row) ? [row] : [];
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const STRING_OR_NUMBER = /("(?:[^"\\]|\\.)*")|(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/g;
const INSTANT = /^s\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const loosened = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** The value of a JSON text, exact: a string begins with `s`, a number is a text that begins with `n`, alike for equal ones. */
export function exactValue(json: string, isLoose: boolean): unknown {
  return JSON.parse(json.replaceAll(STRING_OR_NUMBER, marked), (_name, value: unknown) => {
    if (isLoose && typeof value === 'string' && INSTANT.test(value))
      return `instant ${Date.parse(value.slice(1))}`;
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, one]) => [name.slice(1), one] as const);
    return Object.fromEntries(members.map(([name, one]) => [isLoose ? loosened(name) : name, one]));
  });
}

function marked(_: string, string?: string, sign = '', whole = '', fraction = '', exponent = '0'): string {
  if (string !== undefined) return `"s${string.slice(1)}`;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  return short === '' ? '"n0"' : `"n${sign}${short}e${power}"`;
}

/** True if a row that was read is the one that was sent; loosely, if all that was sent is there. */
export const isSameRow = (sent: unknown, given: unknown, isLoose: boolean): boolean =>
  isLoose ? isKept(sent, given) : isDeepStrictEqual(sent, given);

function isKept(sent: unknown, given: unknown): boolean {
  if (sent === null) return true;
  if (typeof sent !== 'object' || typeof given !== 'object' || given === null) return sent === given;
  return Object.entries(sent).every(([name, value]) => isKept(value, (given as Members)[name]));
}
