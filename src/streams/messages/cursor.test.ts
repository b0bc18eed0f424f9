import { expect, test } from 'vitest';
import { endlessError } from './cursor.ts';

test('the error of a chain without an end names its cause', () => {
  const said = (
    [
      { cause: 'only empty pages', ms: 900_000 },
      { cause: 'an earlier cursor', pages: 3 },
      { cause: 'the same page', times: 50 },
      { cause: 'cursors expire', isParallel: false, refusal: null },
      { cause: 'cursors expire', isParallel: true, refusal: null },
      { cause: 'cursors expire', isParallel: false, refusal: new Error('400: no such cursor') },
    ] as const
  ).map((endless) => endlessError(endless, { name: 'events', place: 'lists[0]' }).message);
  expect(said.map((text) => text.split('. Run again')[0])).toMatchInlineSnapshot(`
    [
      "events: the chain of pages has had only empty pages for 15 min, so its end cannot be reached",
      "events: the chain of pages returns to an earlier cursor after 3 pages, so its end cannot be reached",
      "events: the chain of pages has repeated the same page 50 times, so its end cannot be reached",
      "events: the chain of pages was interrupted repeatedly because its cursors had expired, so its end cannot be reached",
      "events: the chain of pages was interrupted repeatedly because its cursors had expired (lists[0].parallel_chains may be too large), so its end cannot be reached",
      "events: the chain of pages was interrupted repeatedly because its cursors were refused (400: no such cursor), so its end cannot be reached",
    ]
  `);
});
