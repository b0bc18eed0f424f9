import { describe, expect, test } from 'vitest';
import { firstOf } from '../property-runs.test-support.ts';
import {
  above,
  cut,
  declare,
  expectAll,
  half,
  refuse,
  rowsOf,
  run,
  type Service,
} from './gateway.test-support.ts';

const GATEWAYS = [
  ['502', refuse],
  ['a cut body', cut],
  ['a body that ends early', half],
  ['a body that is too large', declare],
] as const;
const oftenDown: Service['gateway'] = (response, _, { turn }) => (turn * 7) % 10 < 4 && refuse(response);

const KINDS = ['offset', 'cursor'] as const;

describe.each(KINDS)('a list by %s', (kind) => {
  test.each(firstOf(2, GATEWAYS))(
    '%s for large pages, from the first one: smaller ones are read',
    async (_, answer) => {
      const service = { kind, rows: rowsOf(600, () => 100), maxPage: 500 };
      const gateway = above(20_000, answer);
      const { code, rows, lines, requests } = await run('read', { ...service, gateway }, 500, {
        concurrency: 1,
      });
      expect(code).toBe(0);
      expectAll(rows, 600);
      const place = kind === 'offset' ? 'assets' : 'alarms';
      expect(lines.filter((line) => line.includes('page_size'))).toStrictEqual([
        expect.stringMatching(
          `^INFO ${place}: a request for 62 rows succeeded after pages of 500 rows had failed`,
        ),
        `WARN ${place}: pages of 500 rows fail, and requests for 62 rows succeed, so the rest of the list is read with them. ` +
          `Set ${place}.page_size to 62 to begin with that size.`,
      ]);
      expect(requests.slice(0, 8).map(({ limit }) => limit)).toStrictEqual([
        500, 500, 250, 125, 62, 500, 500, 62,
      ]);
      expect(requests.slice(8).every(({ limit, isServed }) => limit <= 62 && isServed)).toBe(true);
    },
  );

  test.each(firstOf(1, [4, 1]))('rows that become larger in mid-list, %i at a time', async (concurrency) => {
    const service = { kind, rows: rowsOf(3000, (place) => (place < 1500 ? 10 : 400)), maxPage: 200 };
    const gateway = above(30_000, refuse);
    const { code, rows, lines, requests } = await run('read', { ...service, gateway }, 200, { concurrency });
    expect(code).toBe(0);
    expectAll(rows, 3000);
    expect(lines.join('\n')).toMatch(/page_size to (50|25) to begin/);
    expect(requests.filter(({ isServed }) => !isServed).length).toBeLessThan(15 * concurrency);
    // at its end, a list may be asked for the rows that are left
    expect(requests.filter(({ limit, at }) => limit < 25 && at < 2900)).toStrictEqual([]);
  });

  test.each(firstOf(1, [4, 1]))(
    'an outage of 45 s in mid-read leaves the size as it was, %i at a time',
    async (concurrency) => {
      const service = { kind, rows: rowsOf(5000, () => 10), maxPage: 200 };
      let failures = 0;
      const gateway: Service['gateway'] = (response, _, { at }) => {
        // the waits of the fast clock take no time, so an outage is a number of attempts
        if (at < 2000 || failures >= (kind === 'offset' ? 9 * concurrency : 9)) return false;
        failures++;
        response.writeHead(503).end();
        return true;
      };
      const { code, rows, lines, requests } = await run('read', { ...service, gateway }, 200, {
        concurrency,
      });
      expect(code).toBe(0);
      expectAll(rows, 5000);
      expect(lines.filter((line) => line.startsWith('WARN') && line.includes('page_size'))).toStrictEqual([]);
      const served = requests.filter(({ isServed }) => isServed);
      expect(served.length).toBeLessThan(5000 / 200 + 8 + 3 * concurrency);
      const late = served.filter(({ at }) => at >= 3500 && at < 4700);
      expect(new Set(late.map(({ limit }) => limit))).toStrictEqual(new Set([200]));
    },
  );

  test('failures of every third request leave the size as it was', async () => {
    const service = { kind, rows: rowsOf(4000, () => 10), maxPage: 100 };
    const { code, rows, requests } = await run('read', { ...service, gateway: oftenDown }, 100, {
      concurrency: 1,
    });
    expect(code).toBe(0);
    expectAll(rows, 4000);
    expect(requests.length).toBeLessThan(200);
  });

  test('a page that fails at every size: the read fails and names what was tried', async () => {
    const service = { kind, rows: rowsOf(1000, () => 10), maxPage: 500, gateway: refuse };
    const { code, all } = await run('read', service, 500);
    expect(code).toBe(75);
    expect(JSON.stringify(all)).toMatch(
      /no usable response after \d+ attempts in 6\d s\. Last error: status 502: bad gateway\. Pages of 500 to \d+ rows were tried\. Try again later\./,
    );
  });

  test('full pages that failed for a while are requested again after a smaller one has failed and then come', async () => {
    let failures = 0;
    const service: Service = {
      kind,
      rows: rowsOf(4000, () => 100),
      maxPage: 200,
      gateway: (response, bytes, { at }) => {
        const isDown = at >= 2000 && failures++ < 1;
        return (isDown || (at < 1000 && bytes > 10_000)) && refuse(response);
      },
    };
    const { code, rows, requests } = await run('read', service, 200, { concurrency: 1 });
    expect(code).toBe(0);
    expectAll(rows, 4000);
    const after = requests.filter(({ at, isServed }) => isServed && at > 2600 && at < 3600);
    expect(new Set(after.map(({ limit }) => limit))).toStrictEqual(new Set([200]));
  });

  test('pages of two rows are the smallest', async () => {
    const service = { kind, rows: rowsOf(30, () => 1000), maxPage: 500 };
    const gateway = above(1500, refuse);
    const { code, requests } = await run('read', { ...service, gateway }, 3);
    expect(code).toBe(75);
    expect(new Set(requests.map(({ limit }) => limit))).toStrictEqual(new Set([3, 2]));
  });

  test('check and discover', async () => {
    const service = { kind, rows: rowsOf(600, () => 100), maxPage: 500 };
    const gateway = above(6_000, refuse);
    const checked = await run('check', { ...service, gateway }, 500);
    expect(JSON.stringify(checked.all.at(-1))).toContain('SUCCEEDED');
    expect(checked.lines.join('\n')).toContain('page_size to 25');
    const discovered = await run('discover', { ...service, gateway }, 500);
    expect(JSON.stringify(discovered.all.at(-1))).toContain('"pad"');
  });
});

test('without page_size, half of the rows of the largest page are requested', async () => {
  const service = {
    kind: 'cursor' as const,
    rows: rowsOf(3000, (place) => (place < 1500 ? 10 : 400)),
    maxPage: 200,
  };
  const gateway = above(60_000, refuse);
  const { code, rows, lines, requests } = await run('read', { ...service, gateway }, undefined);
  expect(code).toBe(0);
  expectAll(rows, 3000);
  expect(lines.join('\n')).toContain(
    'WARN alarms: pages without a limit fail, and requests for 100 rows succeed',
  );
  expect(new Set(requests.map(({ limit }) => limit))).toStrictEqual(new Set([NaN, 100]));
});
