import { describe, expect, test } from 'vitest';
import { readSpec } from '../conformance/schema.ts';
import { useTestBed } from '../support/test-bed.ts';

const bed = useTestBed();

describe.concurrent('spec', () => {
  test('prints the one SPEC message, without config and network', async () => {
    const run = await bed.run(['spec'], {});
    expect(run.code).toBe(0);
    expect(run.messages).toStrictEqual([{ type: 'SPEC', spec: readSpec() }]);
  });
});
