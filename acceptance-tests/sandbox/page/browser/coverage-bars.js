import { byId, el, figure, reconcile, say, set } from './dom.js';

/** @typedef {import('../page-view.ts').PageView} PageView */
/** @typedef {import('../coverage.ts').PageOverCells} PageOverCells */

/** Pages that have a line, the last ones. */
const shown = 30;

const bars = byId('bars', HTMLElement);
const ticks = byId('ticks', HTMLElement);
const noBars = byId('no-bars', HTMLElement);

/**
 * Draws the pages of the last read over the list, each as a line that can be chosen.
 * @param {PageView['assets']} assets
 * @param {{ chosen: number | undefined, choose: (number: number) => void }} choice
 */
export function showBars(assets, { chosen, choose }) {
  const cells = Math.max(1, assets.coverage.reads.length);
  const pages = assets.coverage.pages.slice(-shown).toReversed();
  noBars.hidden = pages.length > 0;
  reconcile(bars, pages, {
    keyOf: ({ number }) => number,
    make: ({ number }) => {
      const button = el(
        'button',
        { type: 'button' },
        el('span', { class: 'bars-label' }),
        el('span', { class: 'track' }),
      );
      button.addEventListener('click', () => choose(number));
      return el('li', {}, button);
    },
    update: (line, page) => {
      const button = line.firstElementChild;
      const [label, track] = button?.children ?? [];
      if (button === null || label === undefined || track === undefined) return;
      set(button, 'aria-pressed', String(page.number === chosen));
      say(label, words(page));
      draw(track, page.ranges, { cells, look: 'page' });
    },
  });
  draw(ticks, [...runs(assets.cameIn), ...runs(assets.gone)], { cells, look: 'tick' });
  const gone = new Set(assets.gone);
  for (const tick of ticks.children)
    tick.classList.toggle('gone', gone.has(Number(tick.getAttribute('data-start'))));
  set(
    ticks,
    'aria-label',
    `Where assets came in and went: ${figure(assets.cameIn.length)} came in, ${figure(assets.gone.length)} went`,
  );
}

/**
 * @param {PageOverCells} page
 * @returns {string}
 */
function words({ offset, rows }) {
  return `${figure(offset)} to ${figure(offset + rows - 1)}`;
}

/**
 * @param {Element} track
 * @param {readonly (readonly [number, number])[]} ranges
 * @param {{ cells: number, look: string }} drawing
 */
function draw(track, ranges, { cells, look }) {
  reconcile(track, ranges, {
    keyOf: ([start, end]) => `${start}-${end}`,
    make: ([start]) => el('span', { class: look, 'data-start': String(start) }),
    update: (bar, [start, end]) => {
      bar.style.left = `${(100 * start) / cells}%`;
      bar.style.width = `${(100 * (end - start)) / cells}%`;
    },
  });
}

/**
 * Ascending indexes as ranges.
 * @param {readonly number[]} indexes
 * @returns {[number, number][]}
 */
function runs(indexes) {
  /** @type {[number, number][]} */
  const found = [];
  for (const index of indexes) {
    const last = found.at(-1);
    if (last?.[1] === index) last[1] = index + 1;
    else found.push([index, index + 1]);
  }
  return found;
}
