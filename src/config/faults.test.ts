import { expect, test } from 'vitest';
import spec from '../../spec.json' with { type: 'json' };
import cursorState from '../streams/cursor-state.schema.json' with { type: 'json' };
import offsetState from '../streams/offset-state.schema.json' with { type: 'json' };
import catalog from './configured-catalog.schema.json' with { type: 'json' };
import { EXPECTATIONS, describeFaults } from './faults.ts';
import { isObject } from './files.ts';
import stateMessage from './state-message.schema.json' with { type: 'json' };

const SCHEMAS = [spec.connectionSpecification, catalog, stateMessage, cursorState, offsetState];
/** What a schema says about values, apart from what it requires of them. */
const SILENT =
  '$schema $ref title description default examples order group groups id definitions properties items oneOf allOf if then ' +
  'pattern_descriptor display_type airbyte_secret airbyte_hidden';

/** The keywords of a schema and of those inside it. */
function keywordsIn(schema: object): readonly string[] {
  const inner = Object.entries(schema).flatMap(([keyword, value]: [string, unknown]) => {
    if (!isObject(value)) return [value].flat();
    if (['default', 'dependencies'].includes(keyword)) return [];
    return ['properties', 'definitions'].includes(keyword) ? Object.values(value) : value;
  });
  return [...Object.keys(schema), ...inner.filter(isObject).flatMap(keywordsIn)];
}

/** The patterns of a schema that no words describe. */
function patternsIn(schema: unknown): readonly unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = { pattern: undefined, pattern_descriptor: undefined, ...schema };
  const isBare = typeof own.pattern === 'string' && own.pattern_descriptor === undefined;
  return [...(isBare ? [own.pattern] : []), ...Object.values(schema).flatMap(patternsIn)];
}

test('each fault that a schema of an input can have is explained in words', () => {
  const known = [...SILENT.split(' '), ...Object.keys(EXPECTATIONS)];
  expect(SCHEMAS.flatMap(keywordsIn).filter((keyword) => !known.includes(keyword))).toStrictEqual([]);
  expect(SCHEMAS.flatMap(patternsIn)).toStrictEqual([]);
});

test.each<[state: object, faults: string]>([
  [{ offset: 50 }, '"anchors" is missing next to "offset"'],
  [{ anchors: [] }, '"offset" is missing next to "anchors"'],
  [
    { offset: -5, anchors: ['x'] },
    '"offset" must be at least 0; "anchors[0]" must be written as 16 characters',
  ],
])('%j', (state, faults) => {
  expect(describeFaults(state, offsetState)).toBe(faults);
});

test.each([
  [
    { page_size: '${PAGE}' },
    '"page_size" must be an integer, not a string; it looks like a placeholder: was its value not filled in?',
  ],
  [
    { page_size: '${PAGE}', missing_rows: 'no' },
    '"page_size" must be an integer, not a string; it looks like a placeholder: was its value not filled in? "missing_rows" must be "fail" or "warn"',
  ],
  [{ page_size: '4' }, '"page_size" must be an integer, not a string; it is in quotes: remove them'],
  [
    { missing_rows: '{{ MISSING }}' },
    '"missing_rows" must be "fail" or "warn"; it looks like a placeholder: was its value not filled in?',
  ],
])('a value that does not fit is recognized: %j', (settings, faults) => {
  const schema = spec.connectionSpecification.properties.assets;
  expect(describeFaults({ base_url: 'https://a.example', ...settings }, schema)).toBe(faults);
});
