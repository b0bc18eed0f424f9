import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findChromium } from '../../support/chromium.ts';
import { recordTexts } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { FaultPlans, ScenarioOptions } from '../client.ts';
import { predefinedNames } from '../lists.ts';
import { callerOf } from '../test-calls.ts';
import { faintTexts } from './readable.ts';

const program = findChromium();
const missing = 'no Chromium on the PATH and no CHROME_PATH; run "apt-get install chromium"';
const desk = { width: 1280, height: 900, colorScheme: 'light' } as const;
const looks = [desk, { ...desk, colorScheme: 'dark' }, { ...desk, width: 360 }] as const;

const title = `the page${program === undefined ? ` (skipped: ${missing})` : ''}`;
describe.skipIf(program === undefined)(title, { concurrent: true }, () => {
  const bed = useTestBed();
  let browser: Browser;
  beforeAll(async () => {
    // its own sandbox does not work for root; it visits this machine only
    browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  async function opened(options: ScenarioOptions) {
    const scenario = await bed.world(options);
    const page = await browser.newPage({ viewport: desk });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`);
    });
    const count = (selector: string): Promise<number> => page.locator(selector).count();
    const text = (selector: string): Promise<string | null> => page.locator(selector).first().textContent();
    const becomes = (selector: string, expected: string | RegExp): Promise<void> => {
      const pattern = expected instanceof RegExp ? expect.stringMatching(expected) : expected;
      return eventually(() => text(selector), pattern);
    };
    await page.goto(`${new URL(scenario.config.auth_url).origin}/worlds/${scenario.id}/page`);
    await becomes('#connection', 'live');
    return { scenario, caller: callerOf(scenario), page, problems, count, text, becomes };
  }

  test('shows the rows of the scenario, treats data as text, and loads nothing from other hosts', async () => {
    const { caller, page, problems, count, text, becomes } = await opened({ assets: 5000, alarms: 5678 });
    await becomes('#assets-count', '5,000');
    await becomes('#alarms-count', '5,678');
    expect(await count('#assets .map i')).toBe(4000);
    expect(await text('#assets .cut')).toContain('newest 4,000 of 5,000 assets');
    expect(await count('#newest tr')).toBe(5 * predefinedNames.length);
    const hostile = '<img src=x onerror=alert(1)>';
    await caller.get('assets', `offset=${encodeURIComponent(hostile)}`, {});
    await becomes('#log tr td:nth-child(3)', `offset ${hostile}`);
    expect(await count('img')).toBe(0);
    const origins = `[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))]`;
    expect(await page.evaluate(origins)).toStrictEqual([new URL(page.url()).origin]);
    expect(problems).toStrictEqual([]);
  });

  test('changes rows, clock and options, marks inserted and deleted rows, and follows changes by others', async () => {
    const shown = await opened({ assets: 40, alarms: 100 });
    const { scenario, caller, page, count, becomes } = shown;
    await page.selectOption('#delete-assets [name=at]', 'head');
    await page.fill('#delete-assets [name=count]', '3');
    await page.click('#delete-assets button');
    await becomes('#status', '3 assets deleted.');
    await page.fill('#insert-assets [name=count]', '2');
    await page.click('#insert-assets button');
    await becomes('#status', '2 assets inserted.');
    await page.click('#arrive-alarms button');
    await becomes('#status', '5 alarms added.');
    await becomes('#alarms-count', '105');
    const marks = `[...document.querySelectorAll('#assets .map i')].map((cell) =>
      cell.classList.contains('deleted') ? '-' : cell.classList.contains('new') ? '+' : '.').join('')`;
    expect(await page.evaluate(marks)).toBe(`++---${'.'.repeat(37)}`);
    expect(await scenario.groundTruth()).toMatchObject({ assets: { count: 39 }, alarms: { count: 105 } });

    await page.selectOption('#pace [name=assetsLimitCap]', '20');
    await page.selectOption('#pace [name=latencyMs]', '100');
    const changed = { assetsLimitCap: 20, latencyMs: 100 };
    await eventually(() => scenario.setOptions({}), expect.objectContaining(changed));
    await scenario.setOptions({ tokenLimits: false, latencyMs: 33 });
    await eventually(() => page.isChecked('#tokens input'), false);
    expect(await page.inputValue('#pace [name=latencyMs]')).toBe('33');
    expect(await page.locator('#pace [name=latencyMs] option:checked').textContent()).toBe('33 ms');
    await scenario.setOptions({ tokenLimits: true });

    for (let issued = 0; issued < 4; issued += 1) await caller.ask({ audience: 'AMAPI' });
    const module = '#tokens p:text("AMAPI")';
    await becomes(module, /3 of 3 in the last hour; next token in 60 min/);
    await page.click('#advance button');
    await becomes('#status', /^The clock of the world is at/);
    await becomes(module, 'AMAPI, one module: 0 of 3 in the last hour');

    await page.click('#moving input');
    await eventually(() => count('#assets .map .new'), 5);
    await page.click('#moving input');
    await becomes('#assets-count', '39');
    expect(shown.problems).toStrictEqual([]);
  });

  test('shows the rows and pages of a read of a changing list', async () => {
    const shown = await opened({ assets: 600, alarms: 200, options: { assetsLimitCap: 50 } });
    const { scenario, page, count, text, becomes } = shown;
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
    const { endpoints, last } = await scenario.requests();
    const pages = last.filter(({ endpoint, rows }) => endpoint === 'assets' && rows > 0);
    await becomes('.lane:nth-child(2) p', new RegExp(` ${endpoints.assets.count} requests`));
    await becomes('.lane:nth-child(3) p', new RegExp(` ${endpoints.alarms.count} requests`));
    for (const look of ['new', 'deleted', 'again'])
      expect(await count(`#assets .map .${look}`), look).toBeGreaterThan(0);
    expect(await count('#assets .map .unread:not(.new):not(.deleted)')).toBe(0);
    expect(await count('#assets .bars li')).toBe(Math.min(30, pages.length));
    expect(await count('.lane:nth-child(3) .fine')).toBe(endpoints.alarms.count);
    expect(await text('#tokens p')).toContain('1 of 15 in the last day');

    await page.click('#assets .bars button >> nth=0');
    await page.waitForSelector('#assets .bars li:first-child [aria-pressed=true]');
    expect(await count('#assets .map .marked')).toBe(pages.at(-1)?.rows);
    await expectReadable(page);

    await page.click('#assets .reset');
    await page.waitForSelector('#assets .no-bars');
    expect(await count('#assets :is(.map .new, .map .deleted, .bars li), #log tr')).toBe(0);
    await page.reload();
    await eventually(() => count('#assets .map .unread'), 600);
    expect(await count('#assets .map :is(.new, .deleted)')).toBe(0);
    expect(shown.problems).toStrictEqual([]);
  });

  test('shows the pages of the last command, and the part of a long list that it reads', async () => {
    const options = { alarmsMaxPageSize: 100 };
    const { scenario, page, problems, count, becomes } = await opened({ assets: 300, alarms: 9000, options });
    await becomes('#alarms .cut', /^The newest 4,000 of 9,000 alarms/);
    for (const command of ['check', 'discover'] as const)
      expect((await scenario.run(command, {})).code).toBe(0);
    const stopped = await scenario.run('read', { options: ['--limit-rows', '1000', '--streams', 'alarms'] });
    expect(stopped.code).toBe(0);
    await becomes('#alarms .cut', /^Rows 5,001 to 9,000, newest first, of 9,000 alarms/);
    await vi.waitUntil(async () => (await count('#alarms .map :is(.once, .again)')) >= 1000, {
      timeout: 20_000,
    });
    expect(await count('#assets .bars li')).toBe(0);
    await page.click('#delete-assets button');
    const [top, bottom] = await page
      .locator('#delete-assets :is(input, button)')
      .evaluateAll((ones) => ones.map((one) => one.getBoundingClientRect().bottom));
    expect(Math.abs(Number(top) - Number(bottom))).toBeLessThan(10);
    expect((await scenario.run('read', {})).code).toBe(0);
    await becomes('#alarms .cut', /^The newest 4,000 of 9,000 alarms/);
    await eventually(() => count('#alarms .map .unread:not(.new)'), 0);
    expect(problems).toStrictEqual([]);
  });

  test('shows rows, requests and verdicts of further lists of both kinds', async () => {
    const { scenario, problems, count, text, becomes } = await opened({ drivers: 60, trips: 90 });
    const run = await scenario.run('read', {});
    const { endpoints, last } = await scenario.requests();
    for (const [name, lane, rows] of [
      ['drivers', 4, 60],
      ['trips', 5, 90],
    ] as const) {
      await scenario.verdict(name, recordTexts(run, name).slice(1).join('\n'), false);
      await becomes(`#${name} .verdict`, new RegExp(`: 1 of ${rows} rows lost, 0 repeated, 0 altered.$`));
      expect(await text(`#${name}-count`)).toBe(String(rows));
      expect(await count(`#${name} .map i`)).toBe(rows);
      expect(await count(`#${name} .map .unread`)).toBe(0);
      expect(await count(`#${name} .map .lost`)).toBe(1);
      const pages = last.filter((request) => request.endpoint === name && request.rows > 0);
      expect(await count(`#${name} .bars li`)).toBe(pages.length);
      await becomes(`.lane:nth-child(${lane}) p`, new RegExp(`^${name} ${endpoints[name].count} requests`));
      expect(await count(`.lane:nth-child(${lane}) .fine`)).toBe(endpoints[name].count);
      expect(await count(`#newest td:first-child:text("${name}")`)).toBe(5);
    }
    expect(await count('.verdict')).toBe(2);
    expect(problems).toStrictEqual([]);
  });

  test('switches faults by keyboard, follows changes by others, and reports a deleted scenario', async () => {
    const { scenario, caller, page, problems, count, text, becomes } = await opened({
      assets: 10,
      alarms: 10,
    });
    const isOn = '#faults fieldset:nth-child(2) [role=switch]';
    await page.focus(isOn);
    await page.keyboard.press(' ');
    await becomes('#status', 'Faults updated.');
    const plans: FaultPlans = { assets: { fault: 'status503', at: 'any', times: null } };
    expect((await scenario.faultReport()).plans).toStrictEqual(plans);
    expect((await caller.reply('assets', '')).status).toBe(503);
    await becomes('#faults fieldset:nth-child(2) p', 'Occurrences: 1');
    expect(await count('#timeline .failed')).toBe(1);
    expect(await text('#log tr td:nth-child(4)')).toBe('503');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await eventually(async () => (await scenario.faultReport()).plans.assets?.fault, 'status504');
    await scenario.faults({});
    await eventually(() => page.isChecked(isOn), false);
    expect((await caller.reply('assets', '')).status).toBe(200);
    expect(problems).toStrictEqual([]);

    await scenario.remove();
    await becomes('#connection', 'no response');
    expect(await text('#problem')).toContain('404');
    // the browser logs the failed polls
    expect(problems.every((problem) => problem.includes('404'))).toBe(true);
  });
});

/** Checks contrast and horizontal scrolling in each look, and that everything focusable has a name. */
async function expectReadable(page: Page): Promise<void> {
  for (const { width, height, colorScheme } of looks) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate(faintTexts), `${colorScheme} ${width}`).toStrictEqual([]);
    const room = '[document.documentElement, document.body].every((one) => one.scrollWidth <= innerWidth)';
    expect(await page.evaluate(room), `${colorScheme} ${width}`).toBe(true);
  }
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const controls = nodes.filter(({ properties = [] }) =>
    properties.some(({ name, value }) => name === 'focusable' && value.value),
  );
  expect(controls.length).toBeGreaterThan(20);
  expect(controls.filter(({ name }) => (name?.value ?? '') === '')).toStrictEqual([]);
}

function eventually(get: () => Promise<unknown>, expected: unknown): Promise<void> {
  return vi.waitFor(async () => expect(await get()).toEqual(expected), { timeout: 30_000 });
}
