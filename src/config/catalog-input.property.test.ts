import { createReadStream, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { runs } from '../property-runs.test-support.ts';
import { loadCatalog } from './catalog-input.ts';
import { nearValid } from './near-valid.test-support.ts';
import { temporaryFile } from './temporary-file.test-support.ts';

const KNOWN = ['assets', 'alarms'];
const DOCUMENTS = [
  { streams: [] },
  {
    streams: KNOWN.map((name) => ({
      stream: {
        name,
        json_schema: { type: 'object', properties: {} },
        supported_sync_modes: ['full_refresh'],
      },
      sync_mode: name === 'assets' ? 'full_refresh' : 'incremental',
      destination_sync_mode: 'append',
      cursor_field: ['createdDate'],
    })),
  },
];

test('any catalog file results in an error that names the file and the place, or in streams that are known or missing', async () => {
  const path = temporaryFile('');
  const property = fc.asyncProperty(nearValid(DOCUMENTS), async (bytes) => {
    writeFileSync(path, bytes);
    try {
      const { selections } = await loadCatalog(path, KNOWN, createReadStream);
      const names = selections.map(({ stream }) => stream);
      expect(names).toStrictEqual([...new Set(names)]);
      for (const { stream, syncMode, missing } of selections) {
        expect(KNOWN.includes(stream)).toBe(missing === undefined);
        expect(['full_refresh', 'incremental']).toContain(syncMode);
      }
    } catch (error) {
      if (!isConnectorError(error, 'CATALOG_INVALID')) throw error;
      const [, message = ''] = error.message.split(`catalog ${path}: `);
      expect(message).toMatch(
        /line \d+, column \d+|^is empty|UTF-8|the document must|streams|without a CATALOG/,
      );
      expect(message.length).toBeLessThan(3000);
    }
  });
  await fc.assert(property, { numRuns: runs(3000, 1 / 20) });
});
