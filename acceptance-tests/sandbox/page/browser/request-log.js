import { byId, duration, el, figure, reconcile } from './dom.js';
import { statusWords } from './timeline.js';

/** @typedef {import('../coverage.ts').Numbered} Numbered */

const shown = 12;
const log = byId('log', HTMLElement);

/**
 * Lists the last requests, the last one first.
 * @param {readonly Numbered[]} entries
 */
export function showLog(entries) {
  reconcile(log, entries.slice(-shown).toReversed(), {
    keyOf: ({ number }) => number,
    make: (entry) =>
      el(
        'tr',
        {},
        el('td', {}, entry.at.slice(11, 23)),
        el('td', {}, entry.endpoint),
        el('td', { class: 'asked' }, asked(entry)),
        el('td', { class: entry.status < 200 || entry.status > 299 ? 'bad' : '' }, statusWords(entry.status)),
        el('td', { class: 'number' }, entry.endpoint === 'token' ? '–' : figure(entry.rows)),
        el('td', { class: 'number' }, duration(entry.ms)),
      ),
  });
}

/**
 * @param {Numbered} entry
 * @returns {string}
 */
function asked({ endpoint, query }) {
  if (endpoint === 'token') return 'a token';
  const parts = Object.entries(query).map(([name, value]) => `${name} ${short(value)}`);
  return parts.length === 0 ? 'the first page' : parts.join(', ');
}

/**
 * Cursors are long, and their ends differ most.
 * @param {string} value
 * @returns {string}
 */
function short(value) {
  return value.length <= 32 ? value : `…${value.slice(-12)}`;
}
