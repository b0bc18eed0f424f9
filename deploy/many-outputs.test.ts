import { execFile } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useTestBed } from '../acceptance-tests/support/test-bed.ts';
import { createWorkplace } from './workplace.test-support.ts';

const bed = useTestBed();

test('100,000 outputs: a run resumes from the newest one that has states, and warns', async () => {
  const world = await bed.world({ assets: 0, alarms: 100 });
  const { folder, read, outputs, counts } = await createWorkplace(world.config);
  const make = 'seq -f "out-20240101T%06.0fZ.jsonl" 100000 199999 | xargs touch';
  await read();
  renameSync(join(folder, outputs()[0] ?? ''), join(folder, 'out-20230101T000000Z.jsonl'));
  await promisify(execFile)('sh', ['-c', make], { cwd: folder });
  const { code, stderr } = await read();
  expect(code).toBe(0);
  expect(stderr)
    .toBe(`run.sh: out-20240101T199999Z.jsonl holds no states, so this run resumes from out-20230101T000000Z.jsonl
WARN assets: the list is empty.
run.sh: 100002 outputs take 0.0 GB. Set KEEP_DAYS to delete those that tables.sql has loaded
`);
  expect(counts().at(-1)).toStrictEqual([0, 0]);
  expect((await read()).code).toBe(0);
});
