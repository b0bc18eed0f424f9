import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breakingChanges, missingSteps, missingVersion } from './release-rules.ts';
import type { ReleaseContract, ReleaseForms } from './release-rules.ts';
import { formsOf, packageOf } from './versions.ts';

const text = { type: 'string' };
const general = { properties: { kind: { const: 'general' } } };
const module = { required: ['kind'], properties: { kind: { const: 'module' }, audience: text } };
const form = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { ...text, title: 'Address', pattern: '^https:' },
    size: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    level: { ...text, enum: ['low', 'high'] },
    scopes: { type: 'array', minItems: 1, items: text },
    token: { type: 'object', oneOf: [general, module] },
  },
};
const alarmId = { type: ['null', 'string'] };
const createdDate = { ...alarmId, format: 'date-time', airbyte_type: 'timestamp_with_timezone' };
const place = { type: 'object', properties: { latitude: { type: 'number' } } };
const stream = {
  name: 'alarms',
  supported_sync_modes: ['full_refresh', 'incremental'],
  source_defined_cursor: true,
  default_cursor_field: ['createdDate'],
  source_defined_primary_key: [['alarmId']],
  json_schema: { type: 'object', properties: { alarmId, createdDate, place } },
};
const before = { spec: { connectionSpecification: form }, catalog: { streams: [stream] } };

/** A contract with another value at a path in the form (`$`) or in the stream; `undefined` removes it. */
function having(path: string, value: unknown): ReleaseContract {
  const copy = JSON.parse(JSON.stringify(before)) as typeof before;
  const keys = path.replaceAll('/', '.properties.').split('.');
  const last = keys.pop() ?? '';
  let at: unknown = keys.shift() === '$' ? copy.spec.connectionSpecification : copy.catalog.streams[0];
  for (const key of keys) at = (at as Record<string, unknown>)[key];
  (at as Record<string, unknown>)[last] = value;
  return JSON.parse(JSON.stringify(copy)) as ReleaseContract;
}

const CHANGES: readonly [path: string, value: unknown, change?: string][] = [
  ['$.title', 'other'],
  ['$/name', text],
  ['$.required', []],
  ['$/size.title', 'Rows'],
  ['$/size.default', 20],
  ['$/size.minimum', 0],
  ['$/size.maximum', undefined],
  ['$/size.type', ['integer', 'string']],
  ['$/level.enum', ['low', 'high', 'middle']],
  ['$/token.oneOf', [{ properties: { kind: { const: 'new' } } }, module, general]],
  ['$/url.pattern', undefined],
  ['$/size', undefined, 'config.size was removed'],
  ['$.required', ['url', 'size'], 'config: required ["url"] → ["url","size"]'],
  ['$.required', ['name'], 'config: required ["url"] → ["name"]'],
  ['$/size.type', 'string', 'config.size: type "integer" → "string"'],
  ['$/token.oneOf.0.type', 'object', 'config.token(kind=general): type not set → "object"'],
  ['$/level.enum', ['high'], 'config.level: enum ["low","high"] → ["high"]'],
  ['$/url.enum', ['https://a'], 'config.url: enum not set → ["https://a"]'],
  ['$/url.const', 'https://a', 'config.url: enum not set → ["https://a"]'],
  ['$/size.minimum', 2, 'config.size: minimum 1 → 2'],
  ['$/size.maximum', 50, 'config.size: maximum 100 → 50'],
  ['$/scopes.maxItems', 3, 'config.scopes: maxItems not set → 3'],
  ['$/scopes.items.minLength', 1, 'config.scopes[0]: minLength not set → 1'],
  ['$/url.pattern', '^https://', 'config.url: pattern "^https:" → "^https://"'],
  ['$/token.oneOf', [general], 'config.token(kind=module) was removed'],
  ['$/token.oneOf.1.required', ['kind', 'b'], 'config.token(kind=module): required ["kind"] → ["kind","b"]'],
  ['$.additionalProperties', false, 'config: additionalProperties not set → false'],
  ['.is_resumable', true],
  ['.json_schema/severity', text],
  ['.json_schema/place.type', ['null', 'object']],
  ['.json_schema/alarmId', { type: ['string', 'null'], title: 'Alarm' }],
  ['.name', 'alerts', 'alarms was removed'],
  [
    '.supported_sync_modes',
    ['full_refresh'],
    'alarms: supported_sync_modes ["full_refresh","incremental"] → ["full_refresh"]',
  ],
  ['.source_defined_primary_key', [['id']], 'alarms: source_defined_primary_key [["alarmId"]] → [["id"]]'],
  ['.default_cursor_field', ['day'], 'alarms: default_cursor_field ["createdDate"] → ["day"]'],
  ['.source_defined_cursor', false, 'alarms: source_defined_cursor true → false'],
  ['.json_schema/place', undefined, 'alarms.place was removed'],
  ['.json_schema/place/latitude', undefined, 'alarms.place.latitude was removed'],
  [
    '.json_schema/alarmId.type',
    ['null', 'integer'],
    'alarms.alarmId: type ["null","string"] → ["null","integer"]',
  ],
  ['.json_schema/createdDate.format', undefined, 'alarms.createdDate: format "date-time" → not set'],
  ['.json_schema/place.airbyte_type', 'x', 'alarms.place: airbyte_type not set → "x"'],
];

const titled = CHANGES.map(([path, value, change]) => {
  const to = value === undefined ? 'removed' : JSON.stringify(value);
  return { title: `${path} → ${to}: ${change ?? 'breaks nothing'}`, path, value, change };
});

test.each(titled)('$title', ({ path, value, change }) => {
  expect(breakingChanges(before as ReleaseContract, having(path, value))).toStrictEqual(
    [change ?? []].flat(),
  );
});

const because = 'because of: config.size was removed';
const guide = 'docs/integrations/sources/trailer-data-migrations.md';
const removed = ['config.size was removed'];
const metadata = { name: 'Trailer Data' };
const announced = { breakingChanges: { '1.0.0': { message: 'The key size was removed.' } } };
const unannounced = [
  `metadata.yaml: releases.breakingChanges needs 1.0.0 with message and upgradeDeadline, ${because}`,
  `${guide} needs "# Trailer Data Migration Guide", ${because}`,
  `${guide} needs "## Upgrading to 1.0.0", ${because}`,
];

test.each<[string, changes: string[], version: string, releases: object, string[]]>([
  ['no change', [], '0.1.0', {}, []],
  ['the same version', removed, '0.1.0', {}, [`bump the version 0.1.0 to 1.0.0, ${because}`]],
  ['a minor version', removed, '0.2.0', {}, [`bump the version 0.2.0 to 1.0.0, ${because}`]],
  ['no announcement', removed, '1.0.0', {}, unannounced],
  ['no deadline', removed, '1.0.0', { releases: announced }, unannounced],
])('what a release with breaking changes lacks: %s', (_, changes, version, releases, steps) => {
  expect(missingSteps(changes, '0.1.0', version, { ...metadata, ...releases })).toStrictEqual(steps);
});

const forms = { spec: { a: 1 }, states: { 'lists by offset': { b: 1 }, 'lists by cursor': { c: 1 } } };
const others = { ...forms, states: { ...forms.states, 'lists by cursor': { c: 2 } } };

test.each<[string, after: ReleaseForms, version: string, string[]]>([
  ['nothing', forms, '0.1.0', []],
  ['the spec', { ...forms, spec: {} }, '0.1.1', ['bump the version 0.1.1 to 0.2.0, because of: spec.json']],
  ['a state', others, '0.1.0', ['bump the version 0.1.0 to 0.2.0, because of: the state of lists by cursor']],
  ['a state, with a minor version', others, '0.2.0', []],
  ['a state, with a major version', others, '1.0.0', []],
])('what a release needs if it changes %s', (_, after, version, steps) => {
  expect(missingVersion(forms, after, '0.1.0', version)).toStrictEqual(steps);
});

const json = (path: string): object => JSON.parse(readFileSync(path, 'utf8')) as object;

test('this version is a new one if the spec or a state has changed since the last release', () => {
  const folder = join(import.meta.dirname, 'released');
  const [released = ''] = readdirSync(folder);
  const last = {
    spec: json(join(folder, released, 'spec.json')),
    states: json(join(folder, released, 'state-schemas.json')) as ReleaseForms['states'],
  };
  expect(missingVersion(last, formsOf(), released, packageOf().version)).toStrictEqual([]);
});
