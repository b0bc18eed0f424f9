import { expect, test } from 'vitest';
import spec from '../../spec.json' with { type: 'json' };
import { describeUnknown, unknownKeys, type SchemaNode } from './unknown-keys.ts';

test.each<[document: object, described: string[]]>([
  [{ token_url: 'x' }, ['"token_url" (did you mean "auth_url"?)']],
  [{ secret: 'x' }, ['"secret" (did you mean "client_secret"?)']],
  [{ secret: 'x', client_secret: 'y' }, ['"secret"']],
  [{ id: 'x' }, ['"id" (did you mean "client_id"?)']],
  [{ clientName: 'x' }, ['"clientName"']],
  [
    { credentials: { client_id: 'x', client_secret: 'y', note: 'z' } },
    ['"credentials" (move "client_id", "client_secret" out of it, to the top level)'],
  ],
  [{ page_size: 50 }, ['"page_size" (it belongs inside a list, such as "assets")']],
  [{ assets: { client_id: 'x' } }, ['"assets.client_id" (it belongs to the top level)']],
  [{ assets: { paging: { page_size: 5 } } }, ['"assets.paging" (move "page_size" out of it, to "assets")']],
  [
    { assets: { size: 5, pagesize: 5 } },
    [
      '"assets.size" (did you mean "assets.page_size"?)',
      '"assets.pagesize" (did you mean "assets.page_size"?)',
    ],
  ],
  [{ '': 1, '5': 1, constructor: 1, _note: 1 }, ['"5"', '""', '"constructor"']],
])('unknown keys are explained: %j', (document, described) => {
  expect(
    unknownKeys(document, spec.connectionSpecification as object as SchemaNode).map(describeUnknown),
  ).toStrictEqual(described);
});
