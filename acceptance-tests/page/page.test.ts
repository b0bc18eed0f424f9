import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ScenarioOptions } from '../sandbox/client.ts';
import type { FaultPlans } from '../sandbox/faults/fault-plan.ts';
import type { PageView } from '../sandbox/page/page-view.ts';
import { askToken, createCaller } from '../sandbox/test-calls.ts';
import { useTestBed, type TestWorld } from '../support/test-bed.ts';
import { startBrowser, type Look, type Window } from './browser.ts';
import { findBrowser } from './find-browser.ts';
import { faintTexts } from './readable.ts';

const browser = findBrowser();
const missing = 'no Chromium on the PATH and no CHROME_PATH; "apt-get install chromium" brings one';
const pictures = join(import.meta.dirname, '../../.work/page');
const desk: Look = { width: 1280, height: 900, scheme: 'light' };
if (browser === undefined) process.stdout.write(`The page is not tested: ${missing}.\n`);

describe.skipIf(browser === undefined)(
  `the page${browser === undefined ? `, left out: ${missing}` : ''}`,
  () => {
    const bed = useTestBed();
    let window: Window;
    beforeAll(async () => {
      window = await startBrowser(browser ?? '');
      await mkdir(pictures, { recursive: true });
    });
    afterEach(() => expect(window.complaints()).toStrictEqual([]));
    afterAll(() => window.close());

    /** A new world, its page open. */
    async function opened(options: ScenarioOptions): Promise<TestWorld> {
      const world = await bed.world(options);
      await window.look(desk);
      await window.open(`${urlOf(world)}/page`);
      await window.until(`${text('#connection')} === 'live'`);
      return world;
    }

    const count = (selector: string): Promise<number> =>
      window.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
    const click = (selector: string): Promise<void> =>
      window.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);

    test('shows what the world holds, and loads nothing from elsewhere', async () => {
      await opened({ assets: 1234, alarms: 5678 });
      await window.until(`${text('#asset-count')} === '1,234' && ${text('#alarm-count')} === '5,678'`);
      expect(await count('#map i')).toBe(1234);
      expect(await count('#newest tr')).toBe(10);
      const origins = `[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))]`;
      expect(await window.evaluate(origins)).toStrictEqual([await window.evaluate('location.origin')]);
    });

    test('a list longer than the strip is shown from its head, and says so', async () => {
      await opened({ assets: 5000, alarms: 0 });
      await window.until(`${text('#cut')}.includes('4,000 of 5,000 assets')`);
      expect(await count('#map i')).toBe(4000);
    });

    test('rows that come in and go are marked where they stand', async () => {
      const world = await opened({ assets: 40, alarms: 0 });
      await world.insert('assets', { count: 2, at: 10 });
      await world.delete('assets', { count: 3, at: 20 });
      await window.until(`document.querySelectorAll('#map .gone').length === 3`);
      const marks = `[...document.querySelectorAll('#map i')].map((cell) =>
      cell.classList.contains('gone') ? '-' : cell.classList.contains('new') ? '+' : '.').join('')`;
      expect(await window.evaluate(marks)).toBe('..........++........---...................');
    });

    test('the buttons change the world', async () => {
      const world = await opened({ assets: 100, alarms: 100 });
      const before = await viewOf(world);
      await window.evaluate(`document.querySelector('#insert [name=count]').value = '7'`);
      await click('#insert button');
      await window.until(`${text('#said')} === '7 assets came in.'`);
      await click('#delete button');
      await window.until(`${text('#said')} === '10 assets went.'`);
      await click('#arrive button');
      await window.until(`${text('#said')} === '5 alarms arrived.'`);
      await click('#advance button');
      await window.until(`${text('#said')}.startsWith('The clock of the world says')`);
      const after = await viewOf(world);
      expect([after.assets.count, after.alarms.count]).toStrictEqual([97, 105]);
      expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(3_600_000);
      await window.until(`${text('#asset-count')} === '97' && ${text('#alarm-count')} === '105'`);
    });

    test('a list that is kept moving moves, until it is not', async () => {
      const world = await opened({ assets: 50, alarms: 0 });
      await click('#moving');
      await window.until(`document.querySelectorAll('#map .new').length >= 6`);
      await click('#moving');
      await expect.poll(async () => (await viewOf(world)).assets.count).toBe(50);
      await window.until(`${text('#asset-count')} === '50'`);
    });

    test('pace and limits are the knobs of the world, in both directions', async () => {
      const world = await opened({ assets: 5, alarms: 5 });
      await choose('#pace [name=assetsLimitCap]', '20');
      await choose('#pace [name=latencyMs]', '100');
      await window.until(`${text('#said')} === 'Changed.'`);
      await expect.poll(() => world.setOptions({})).toMatchObject({ assetsLimitCap: 20, latencyMs: 100 });
      await world.setOptions({ tokenLimits: false, latencyMs: 333 });
      await window.until(
        `!document.querySelector('#limits input').checked && document.querySelector('#pace [name=latencyMs]').value === '333'`,
      );
    });

    async function choose(selector: string, value: string): Promise<void> {
      await window.evaluate(`(() => {
      const list = document.querySelector(${JSON.stringify(selector)});
      list.value = ${JSON.stringify(value)};
      list.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    }

    test('a read of a moving list: every row that was there has been read, and the pages are drawn', async () => {
      const world = await opened({
        assets: 600,
        alarms: 200,
        options: { assetsLimitCap: 50, latencyMs: 20 },
      });
      await window.until(`document.querySelectorAll('#map i').length === 600`);
      let lines = 0;
      const run = await world.run('read', {
        onLine: async () => {
          lines += 1;
          if (lines % 60 !== 30 || lines > 600) return;
          await world.insert('assets', { count: 2 });
          await world.delete('assets', { count: 2, at: 'random' });
        },
      });
      expect(run.code).toBe(0);
      const { endpoints: asked, last } = await world.requests();
      const withRows = last.filter(({ endpoint, rows }) => endpoint === 'assets' && rows > 0);
      await window.until(
        `${text('#timeline .lane:nth-child(2) p')}.startsWith('${asked.assets.count} requests')`,
      );
      expect(await count('#map .new')).toBeGreaterThan(0);
      expect(await count('#map .gone')).toBeGreaterThan(0);
      expect(await count('#map .again')).toBeGreaterThan(0);
      expect(await count('#map .unread:not(.new):not(.gone)')).toBe(0);
      expect(await count('#bars li')).toBe(Math.min(30, withRows.length));
      expect(await count('#timeline .lane:nth-child(3) .fine')).toBe(asked.alarms.count);
      expect(await window.evaluate(text('#tokens li:first-child p'))).toContain('1 of 15 this day');

      const page = (await viewOf(world)).assets.coverage.pages.at(-1);
      await click('#bars button');
      await window.until(`document.querySelector('#bars button').getAttribute('aria-pressed') === 'true'`);
      expect(await count('#map .marked')).toBe(page?.rows);
      for (const look of [desk, { ...desk, scheme: 'dark' }, { ...desk, width: 360 }] as const) {
        await window.look(look);
        await window.screenshot(join(pictures, `${look.scheme}-${look.width}.png`));
        expect([look, await window.evaluate(faintTexts)]).toStrictEqual([look, []]);
        const room =
          '[document.documentElement.scrollWidth <= innerWidth, document.body.scrollWidth <= innerWidth]';
        expect([look, await window.evaluate(room)]).toStrictEqual([look, [true, true]]);
      }
      expect((await window.controls()).filter(({ name }) => name === '')).toStrictEqual([]);

      await click('#afresh');
      await window.until(
        `document.querySelectorAll('#map .new, #map .gone, #bars li, #log tr').length === 0`,
      );
      await window.until(`${text('#no-bars')} !== '' && !document.querySelector('#no-bars').hidden`);
      await window.reload();
      await window.until(`document.querySelectorAll('#map .unread').length === 600`);
      expect(await count('#map .new, #map .gone')).toBe(0);
    });

    test('a fault is switched on and off by keyboard, and by others', async () => {
      const world = await opened({ assets: 10, alarms: 10 });
      await window.evaluate(`document.querySelector('#faults fieldset:nth-child(2) [role=switch]').focus()`);
      await window.press(' ');
      await window.until(`${text('#said')} === 'The faults are set.'`);
      const plans: FaultPlans = { assets: { fault: 'status503', at: 'any', times: null } };
      expect((await world.faultReport()).plans).toStrictEqual(plans);
      const caller = await createCaller(world);
      expect((await caller.reply('assets', {})).status).toBe(503);
      await window.until(`${text('#faults fieldset:nth-child(2) p')} === 'happened so far: 1'`);
      await window.until(`document.querySelectorAll('#timeline .failed').length === 1`);
      await window.until(`${text('#log tr td:nth-child(4)')} === '503'`);
      await window.press('Tab');
      expect(await window.evaluate('document.activeElement.tagName')).toBe('SELECT');
      await window.press('ArrowDown');
      await expect.poll(async () => (await world.faultReport()).plans.assets?.fault).toBe('status504');
      await world.faults({});
      await window.until(`!document.querySelector('#faults fieldset:nth-child(2) [role=switch]').checked`);
      expect((await caller.reply('assets', {})).status).toBe(200);
    });

    test('the limits fill up, and the clock frees them', async () => {
      const world = await opened({ assets: 1, alarms: 1 });
      for (let asked = 0; asked < 4; asked += 1) await askToken(world, { audience: 'AMAPI' });
      await window.until(
        `${text('#tokens li:nth-child(2) p')}.includes('3 of 3 this hour; the next one in 60 min')`,
      );
      await click('#advance button');
      await window.until(`${text('#tokens li:nth-child(2) p')} === 'AMAPI, one module: 0 of 3 this hour'`);
    });

    test('what comes from data is text', async () => {
      const world = await opened({ assets: 1, alarms: 1 });
      const hostile = '<img src=x onerror=alert(1)>';
      await fetch(`${world.config.assets.base_url}/v1/assets?offset=${encodeURIComponent(hostile)}`);
      await window.until(`document.querySelector('#log tr') !== null`);
      expect(await window.evaluate(text('#log tr .asked'))).toContain('onerror');
      expect(await count('img')).toBe(0);
    });

    test('says so when the world is gone', async () => {
      const world = await opened({ assets: 1, alarms: 1 });
      await world.remove();
      await window.until(`${text('#connection')} === 'no answer' && ${text('#trouble')}.includes('404')`);
      // the browser notes the refused polls, as it should
      expect(window.complaints().every((complaint) => complaint.includes('404'))).toBe(true);
      await window.close();
      window = await startBrowser(browser ?? '');
    });
  },
);

function urlOf(world: TestWorld): string {
  return `${new URL(world.config.assets.base_url).origin}/worlds/${world.id}`;
}

async function viewOf(world: TestWorld): Promise<PageView> {
  return (await (await fetch(`${urlOf(world)}/view`)).json()) as PageView;
}

function text(selector: string): string {
  return `(document.querySelector(${JSON.stringify(selector)})?.textContent ?? '')`;
}
