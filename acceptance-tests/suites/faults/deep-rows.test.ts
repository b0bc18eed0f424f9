import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFixedApi } from '../../support/fixed-api.ts';
import type { FixedApi } from '../../support/fixed-api.ts';
import { writeInputs } from '../../support/input-files.ts';
import { runConnector } from '../../support/run-connector.ts';
import type { Run } from '../../support/run-connector.ts';
import { discovered, recordTexts, verdict } from '../../support/run-views.ts';

const deep = `{"assetId":"a","deep":${'{"d":['.repeat(5000)}1.10${']}'.repeat(5000)}}`;
const page = `{"items":[${deep}],"metadata":{"pagination":{"nextCursor":""}}}`;

let api: FixedApi;
let folder: string;
beforeAll(async () => {
  [api, folder] = await Promise.all([
    startFixedApi({ assets: page, alarms: page }),
    mkdtemp(join(tmpdir(), 'deep-')),
  ]);
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

async function run(command: string): Promise<Run> {
  const files = await writeInputs(folder, { config: api.config });
  return runConnector([command, ...files.args], { folder: files.folder, secrets: ['canary-secret'] });
}

test('a row that is nested 10,000 deep is a row like any other', async () => {
  const read = await run('read');
  expect(read.code).toBe(0);
  expect(recordTexts(read, 'assets')).toStrictEqual([deep]);
  expect(recordTexts(read, 'alarms')).toStrictEqual([deep]);
});

test('check and discover go past it', async () => {
  expect(verdict(await run('check')).status).toBe('SUCCEEDED');
  const discover = await run('discover');
  expect(discover.code).toBe(0);
  for (const { json_schema: schema } of discovered(discover))
    expect(schema).toHaveProperty('properties.deep');
});
