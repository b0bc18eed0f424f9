import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useTestBed, type TestWorld } from '../../support/test-bed.ts';
import type { FaultPlans, ScenarioOptions } from '../client.ts';
import { listNames } from '../lists.ts';
import { askToken, createCaller } from '../test-calls.ts';
import type { PageView } from './page-view.ts';
import { faintTexts } from './readable.ts';

const program = findBrowser();
const missing = 'no Chromium on the PATH and no CHROME_PATH; "apt-get install chromium" brings one';
const pictures = join(import.meta.dirname, '../../../.work/page');
const desk = { width: 1280, height: 900, colorScheme: 'light' } as const;
const looks = [desk, { ...desk, colorScheme: 'dark' }, { ...desk, width: 360 }] as const;
if (program === undefined) process.stdout.write(`The page is not tested: ${missing}.\n`);

describe.skipIf(program === undefined)(
  `the page${program === undefined ? `, left out: ${missing}` : ''}`,
  () => {
    const bed = useTestBed();
    let browser: Browser;
    let page: Page;
    let complaints: string[];
    beforeAll(async () => {
      // as root there is no other way than without a sandbox; it visits nothing but this machine
      browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] });
    });
    afterAll(() => browser.close());
    beforeEach(async () => {
      page = await browser.newPage({ viewport: desk });
      complaints = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
      });
    });
    afterEach(async () => {
      expect(complaints).toStrictEqual([]);
      await page.close();
    });

    /** A new scenario, its page open. */
    async function opened(options: ScenarioOptions): Promise<TestWorld> {
      const scenario = await bed.world(options);
      await page.goto(`${urlOf(scenario)}/page`);
      await becomes('#connection', 'live');
      return scenario;
    }

    const count = (selector: string): Promise<number> => page.locator(selector).count();
    const text = (selector: string): Promise<string | null> => page.locator(selector).first().textContent();
    const becomes = (selector: string, words: string): Promise<void> =>
      eventually(() => text(selector)).toBe(words);

    test('shows what the scenario holds, and loads nothing from elsewhere', async () => {
      await opened({ assets: 1234, alarms: 5678 });
      await becomes('#assets-count', '1,234');
      await becomes('#alarms-count', '5,678');
      expect(await count('#assets .map i')).toBe(1234);
      expect(await count('#newest tr')).toBe(5 * listNames.length);
      const origins = `[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))]`;
      expect(await page.evaluate(origins)).toStrictEqual([new URL(page.url()).origin]);
    });

    test('a list longer than the strip is shown from its head, and says so', async () => {
      await opened({ assets: 5000, alarms: 0 });
      await eventually(() => text('#assets .cut')).toContain('4,000 of 5,000 assets');
      expect(await count('#assets .map i')).toBe(4000);
    });

    test('rows that come in and go are marked where they stand', async () => {
      const scenario = await opened({ assets: 40, alarms: 0 });
      await scenario.insert('assets', { count: 2 });
      await scenario.delete('assets', { count: 3, at: 20 });
      await eventually(() => count('#assets .map .gone')).toBe(3);
      const marks = `[...document.querySelectorAll('#assets .map i')].map((cell) =>
      cell.classList.contains('gone') ? '-' : cell.classList.contains('new') ? '+' : '.').join('')`;
      expect(await page.evaluate(marks)).toBe('++..................---...................');
    });

    test('the buttons change the scenario', async () => {
      const scenario = await opened({ assets: 100, alarms: 100 });
      const before = await viewOf(scenario);
      await page.fill('#insert-assets [name=count]', '7');
      await page.click('#insert-assets button');
      await becomes('#said', '7 assets came in.');
      await page.click('#delete-assets button');
      await becomes('#said', '10 assets went.');
      await page.click('#arrive-alarms button');
      await becomes('#said', '5 alarms arrived.');
      await page.click('#advance button');
      await eventually(() => text('#said')).toMatch(/^The clock of the world says/);
      const after = await viewOf(scenario);
      const counts = Object.fromEntries(after.lists.map((list) => [list.name, list.count]));
      expect(counts).toMatchObject({ assets: 97, alarms: 105 });
      expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(3_600_000);
      await becomes('#assets-count', '97');
      await becomes('#alarms-count', '105');
    });

    test('a list that is kept moving moves, until it is not', async () => {
      const scenario = await opened({ assets: 50, alarms: 0 });
      await page.click('#moving input');
      await eventually(() => count('#assets .map .new')).toBeGreaterThanOrEqual(6);
      await page.click('#moving input');
      await eventually(async () => (await viewOf(scenario)).lists[0]?.count).toBe(50);
      await becomes('#assets-count', '50');
    });

    test('pace and limits are the options of the scenario, in both directions', async () => {
      const scenario = await opened({ assets: 5, alarms: 5 });
      await page.selectOption('#pace [name=assetsLimitCap]', '20');
      await page.selectOption('#pace [name=latencyMs]', '100');
      await becomes('#said', 'Changed.');
      await eventually(() => scenario.setOptions({})).toMatchObject({ assetsLimitCap: 20, latencyMs: 100 });
      await scenario.setOptions({ tokenLimits: false, latencyMs: 333 });
      await eventually(() => page.isChecked('#tokens input')).toBe(false);
      await eventually(() => page.inputValue('#pace [name=latencyMs]')).toBe('333');
    });

    test('a read of a moving list: every row that was there has been read, and the pages are drawn', async () => {
      const options = { assetsLimitCap: 50, latencyMs: 20 };
      const scenario = await opened({ assets: 600, alarms: 200, options });
      await eventually(() => count('#assets .map i')).toBe(600);
      let lines = 0;
      const run = await scenario.run('read', {
        onLine: async () => {
          lines += 1;
          if (lines % 60 !== 30 || lines > 600) return;
          await scenario.insert('assets', { count: 2 });
          await scenario.delete('assets', { count: 2, at: 'random' });
        },
      });
      expect(run.code).toBe(0);
      const { endpoints: asked, last } = await scenario.requests();
      const withRows = last.filter(({ endpoint, rows }) => endpoint === 'assets' && rows > 0);
      await eventually(() => text('.lane:nth-child(2) p')).toMatch(`${asked.assets.count} requests`);
      await eventually(() => text('.lane:nth-child(3) p')).toMatch(`${asked.alarms.count} requests`);
      expect(await count('#assets .map .new')).toBeGreaterThan(0);
      expect(await count('#assets .map .gone')).toBeGreaterThan(0);
      expect(await count('#assets .map .again')).toBeGreaterThan(0);
      expect(await count('#assets .map .unread:not(.new):not(.gone)')).toBe(0);
      expect(await count('#assets .bars li')).toBe(Math.min(30, withRows.length));
      expect(await count('.lane:nth-child(3) .fine')).toBe(asked.alarms.count);
      expect(await text('#tokens p')).toContain('1 of 15 this day');

      const drawn = (await viewOf(scenario)).lists[0]?.map?.coverage.pages.at(-1);
      await page.click('#assets .bars button >> nth=0');
      await page.waitForSelector('#assets .bars li:first-child [aria-pressed=true]');
      expect(await count('#assets .map .marked')).toBe(drawn?.rows);
      for (const { width, height, colorScheme } of looks) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(pictures, `${colorScheme}-${width}.png`), fullPage: true });
        expect([width, colorScheme, await page.evaluate(faintTexts)]).toStrictEqual([width, colorScheme, []]);
        const room =
          '[document.documentElement.scrollWidth <= innerWidth, document.body.scrollWidth <= innerWidth]';
        expect([width, colorScheme, await page.evaluate(room)]).toStrictEqual([
          width,
          colorScheme,
          [true, true],
        ]);
      }
      expect(await unnamedControls()).toStrictEqual([]);

      await page.click('#assets .afresh');
      await eventually(() => count('#assets :is(.map .new, .map .gone, .bars li), #log tr')).toBe(0);
      await page.waitForSelector('#assets .no-bars');
      await page.reload();
      await eventually(() => count('#assets .map .unread')).toBe(600);
      expect(await count('#assets .map :is(.new, .gone)')).toBe(0);
    });

    /** The roles of what can take the focus and has no name, as assistive programs are told of it. */
    async function unnamedControls(): Promise<unknown[]> {
      const session = await page.context().newCDPSession(page);
      const { nodes } = await session.send('Accessibility.getFullAXTree');
      return nodes
        .filter(({ properties = [] }) =>
          properties.some(({ name, value }) => name === 'focusable' && value.value),
        )
        .filter(({ name }) => (name?.value ?? '') === '')
        .map(({ role }): unknown => role?.value);
    }

    test('a fault is switched on and off by keyboard, and by others', async () => {
      const scenario = await opened({ assets: 10, alarms: 10 });
      const isOn = '#faults fieldset:nth-child(2) [role=switch]';
      await page.focus(isOn);
      await page.keyboard.press(' ');
      await becomes('#said', 'The faults are set.');
      const plans: FaultPlans = { assets: { fault: 'status503', at: 'any', times: null } };
      expect((await scenario.faultReport()).plans).toStrictEqual(plans);
      const caller = await createCaller(scenario);
      expect((await caller.reply('assets', '')).status).toBe(503);
      await becomes('#faults fieldset:nth-child(2) p', 'happened so far: 1');
      await eventually(() => count('#timeline .failed')).toBe(1);
      await becomes('#log tr td:nth-child(4)', '503');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT');
      await page.keyboard.press('ArrowDown');
      await eventually(async () => (await scenario.faultReport()).plans.assets?.fault).toBe('status504');
      await scenario.faults({});
      await eventually(() => page.isChecked(isOn)).toBe(false);
      expect((await caller.reply('assets', '')).status).toBe(200);
    });

    test('the limits fill up, and the clock frees them', async () => {
      const scenario = await opened({ assets: 1, alarms: 1 });
      for (let asked = 0; asked < 4; asked += 1) await askToken(scenario, { audience: 'AMAPI' });
      const module = '#tokens p:text("AMAPI")';
      await eventually(() => text(module)).toContain('3 of 3 this hour; the next one in 60 min');
      await page.click('#advance button');
      await becomes(module, 'AMAPI, one module: 0 of 3 this hour');
    });

    test('what comes from data is text', async () => {
      const scenario = await opened({ assets: 1, alarms: 1 });
      const hostile = '<img src=x onerror=alert(1)>';
      await fetch(`${scenario.config.assets.base_url}/v1/assets?offset=${encodeURIComponent(hostile)}`);
      await page.waitForSelector('#log tr');
      expect(await text('#log tr .asked')).toContain('onerror');
      expect(await count('img')).toBe(0);
    });

    test('says so when the scenario is gone', async () => {
      const scenario = await opened({ assets: 1, alarms: 1 });
      await scenario.remove();
      await becomes('#connection', 'no answer');
      await eventually(() => text('#trouble')).toContain('404');
      // the browser notes the refused polls, as it should
      await page.goto('about:blank');
      expect(complaints.splice(0).every((complaint) => complaint.includes('404'))).toBe(true);
    });
  },
);

/** Asks until the answer is as it should be. */
function eventually(get: () => Promise<unknown>) {
  return expect.poll(get, { timeout: 30_000 });
}

/** An installed browser of the Chromium family: CHROME_PATH if that is set, or one on the PATH. Undefined if there is none. */
function findBrowser(): string | undefined {
  const { CHROME_PATH: named = '', PATH: path = '' } = process.env;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
  const onPath = path.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  const found = (named === '' ? [...onPath, mac] : [named]).find(isProgram);
  if (named !== '' && found === undefined) throw new Error(`CHROME_PATH: "${named}" is no program`);
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function urlOf(scenario: TestWorld): string {
  return `${new URL(scenario.config.assets.base_url).origin}/worlds/${scenario.id}`;
}

async function viewOf(scenario: TestWorld): Promise<PageView> {
  return (await (await fetch(`${urlOf(scenario)}/view`)).json()) as PageView;
}
