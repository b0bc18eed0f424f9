import { byId, el, reconcile } from './dom.js';

/** @typedef {import('../page-view.ts').PageView} PageView */

const table = byId('newest', HTMLElement);

/**
 * Lists the newest rows of both lists, as the API sends them.
 * @param {PageView} view
 */
export function showNewest({ assets, alarms }) {
  const rows = [
    ...assets.newest.map((row) => ({ list: 'assets', row })),
    ...alarms.newest.map((row) => ({ list: 'alarms', row })),
  ];
  reconcile(table, rows, {
    // A knob can change the text of a row.
    keyOf: ({ list, row }) => `${list} ${row.cameIn} ${row.text}`,
    make: ({ list, row }) =>
      el(
        'tr',
        {},
        el('td', {}, row.cameIn ? `${list}, new` : list),
        el('td', {}, row.created.replace('T', ' ').slice(0, 19)),
        el('td', {}, el('code', {}, row.text)),
      ),
  });
}
