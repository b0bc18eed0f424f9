import { byId, el, figure, reconcile, say, set } from './dom.js';

/** @typedef {import('../page-view.ts').PageView} PageView */

const map = byId('map', HTMLElement);
const legend = byId('legend', HTMLElement);
const cut = byId('cut', HTMLElement);

/**
 * Shows each asset as a cell, marks those of the chosen page, and counts them in the legend.
 * @param {PageView['assets']} assets
 * @param {number | undefined} chosen the number of the chosen page
 */
export function showMap(assets, chosen) {
  const { reads, pages } = assets.coverage;
  const cameIn = new Set(assets.cameIn);
  const gone = new Set(assets.gone);
  const ranges = pages.find(({ number }) => number === chosen)?.ranges ?? [];
  const marked = new Set(ranges.flatMap(([start, end]) => steps(start, end)));

  while (map.children.length > reads.length) map.lastElementChild?.remove();
  while (map.children.length < reads.length) map.append(document.createElement('i'));
  for (const [index, times] of reads.entries()) {
    const names = ['unread', 'once', 'again'].slice(Math.min(times, 2), Math.min(times, 2) + 1);
    if (cameIn.has(index)) names.push('new');
    if (gone.has(index)) names.push('gone');
    if (marked.has(index)) names.push('marked');
    const cell = map.children[index];
    const look = names.join(' ');
    if (cell !== undefined && cell.className !== look) cell.className = look;
  }

  const living = reads.filter((_times, index) => !gone.has(index));
  const looks = [
    { look: 'unread', words: 'not read', count: living.filter((times) => times === 0).length },
    { look: 'once', words: 'on one page', count: living.filter((times) => times === 1).length },
    { look: 'again', words: 'on more pages', count: living.filter((times) => times > 1).length },
    { look: 'unread new', words: 'came in', count: cameIn.size },
    { look: 'unread gone', words: 'went', count: gone.size },
  ];
  reconcile(legend, looks, {
    keyOf: ({ look }) => look,
    make: ({ look }) => el('li', {}, el('i', { class: look, 'aria-hidden': 'true' }), el('span', {})),
    update: (item, { words, count }) => {
      const text = item.querySelector('span');
      if (text !== null) say(text, `${words}: ${figure(count)}`);
    },
  });
  const summary = looks.map(({ words, count }) => `${words} ${figure(count)}`).join(', ');
  set(map, 'aria-label', `The list of assets, one cell for each: ${summary}`);
  const all = assets.shown === assets.count;
  say(
    cut,
    all ? '' : `Shown is the head of the list: ${figure(assets.shown)} of ${figure(assets.count)} assets.`,
  );
}

/**
 * @param {number} start
 * @param {number} end
 * @returns {number[]}
 */
function steps(start, end) {
  return Array.from({ length: end - start }, (_, step) => start + step);
}
