import { expect, test } from 'vitest';
import { program } from '../../support/program.ts';
import { measured, startUnread, useRowApi } from './process-fixture.ts';

const NAMES = 1_200;
const PER_PAGE = 100;
const KIB = 1024;

/** Declares only the key, so that each name is a new field. */
const CATALOG = {
  streams: [
    {
      stream: {
        name: 'assets',
        json_schema: { type: 'object', properties: { assetId: { type: 'string' } } },
        supported_sync_modes: ['full_refresh'],
      },
      sync_mode: 'full_refresh',
      destination_sync_mode: 'overwrite',
    },
  ],
};

test('rows with 1,200 field names of 200 KB take less than 10 s of CPU, in a heap of 256 MB', async () => {
  // loaders replace each of these characters in the name of a column
  const nameOf = (at: number): string => `${at}${'-'.repeat(200 * KIB)}`;
  const { config } = await useRowApi(NAMES, 0, {
    assets: (_before, response) => {
      const offset = Number(new URL(response.req.url ?? '', 'http://127.0.0.1').searchParams.get('offset'));
      const length = Math.max(0, Math.min(PER_PAGE, NAMES - offset));
      const items = Array.from(
        { length },
        (_, at) => `{"assetId":"${offset + at}","${nameOf(offset + at)}":1}`,
      );
      response.end(
        `{"items":[${items.join(',')}],"metadata":{"pagination":{"offset":${offset},"totalCount":${NAMES}}}}`,
      );
      return true;
    },
  });
  const { env, cpuTime } = measured({});
  const instead = [process.execPath, '--max-old-space-size=256', program];
  const { stdout, exit } = await startUnread('read', config, { catalog: CATALOG, env, instead });
  let bytes = 0;
  stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  expect(await exit).toStrictEqual({ code: 0, signal: null, stderr: '' });
  expect(bytes).toBeGreaterThan(NAMES * 200 * KIB);
  expect(cpuTime()).toBeLessThan(10);
});
