import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { compareItems, exactValue, isObject, isSameRow, loosened } from './compare-items.ts';
import type { Item, Members } from './compare-items.ts';
import { selectedLines, type GroundTruthSelection } from './ground-truth.ts';
import { each, listNames, lists, type ListName } from './lists.ts';
import { scenarioIn, type ScenarioMap, type ServedScenario } from './scenario.ts';

export type Verdict = Awaited<ReturnType<typeof judge>>;
interface Query {
  readonly list: ListName;
  readonly loose?: string;
}

const MAX_BODY = 400 * 1024 * 1024;
const MAX_IDS = 20;
const kinds = ['lost', 'repeated', 'altered', 'unknown'] as const;
const MESSAGE_TYPES =
  'RECORD STATE LOG TRACE CONTROL SPEC CATALOG CONNECTION_STATUS SCHEMA ACTIVATE_VERSION BATCH'.split(' ');

/** Adds the endpoint that compares what a client has read since the last mark with the list. */
export function addVerdictRoute(app: FastifyInstance, scenarios: ScenarioMap): void {
  // JSON lines with any content type
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BODY }, (_request, body, done) =>
    done(null, body),
  );
  const list = { enum: listNames };
  const ignored = 'ignore case and underscores in names, time zones, and nulls';
  const loose = { enum: ['true'], description: ignored };
  const querystring = { type: 'object', required: ['list'], properties: { list, loose } };
  const summary = 'Compare the rows that a client has read since the last mark, as JSON lines, with a list';
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
    if (typeof id === 'string') return [id.slice(1), row];
    // a row without a key is identified by its members
    return [JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))), row];
  };
  const itemsOf = async (selection: GroundTruthSelection): Promise<Item[]> => {
    const lines = await text(selectedLines(scenario, list, selection));
    return rowsIn(lines, list, isLoose).map(itemOf);
  };
  const items = rowsIn(body, list, isLoose).map(itemOf);
  const expected = (await itemsOf({ since: scenario.measuredFrom })).map(([id]) => id);
  const allowed = new Map(await itemsOf({ lived: 0 }));
  const differences = compareItems(items, expected, allowed, (sent, read) => isSameRow(sent, read, isLoose));
  const { lost, repeated, altered, unknown } = each(kinds, (kind) =>
    differences[kind].length.toLocaleString('en'),
  );
  const others = unknown === '0' ? '' : `, ${unknown} unknown`;
  const total = expected.length.toLocaleString('en');
  const says = `${lost} of ${total} rows lost, ${repeated} repeated, ${altered} altered${others}`;
  scenario.judged[list] = { says, differences };
  const shown = each(kinds, (kind) => {
    const ids = differences[kind];
    return { count: ids.length, ids: ids.slice(0, MAX_IDS).map((id) => id.slice(0, 100)) };
  });
  return { list, rows: items.length, ...shown, says };
}

/** Extracts the rows of a list from JSON lines: plain rows, and RECORD messages of connectors and Singer taps. */
function rowsIn(body: string, list: ListName, isLoose: boolean): Members[] {
  return body.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = isObject(parsed(line)) ? (exactValue(line, isLoose) as Members) : null;
    if (value === null)
      throw Object.assign(new Error(`line ${index + 1} is not a JSON object`), { statusCode: 400 });
    if (!MESSAGE_TYPES.some((type) => value['type'] === `s${type}`)) return [value];
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
