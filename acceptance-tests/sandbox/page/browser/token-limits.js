import { byId, el, figure, reconcile, say } from './dom.js';

/** @typedef {import('../page-view.ts').PageView} PageView */

const list = byId('tokens', HTMLElement);

/**
 * Shows what has been taken of each limit.
 * @param {PageView} view
 */
export function showTokens({ tokens, knobs }) {
  reconcile(list, tokens, {
    keyOf: ({ audience }) => audience,
    make: ({ audience }) => el('li', {}, el('meter', { 'aria-label': `tokens of ${audience}` }), el('p', {})),
    update: (item, { audience, issued, limit, windowSeconds, waitSeconds }) => {
      const meter = item.querySelector('meter');
      const text = item.querySelector('p');
      if (meter === null || text === null) return;
      meter.max = limit;
      meter.high = limit - 1;
      meter.optimum = 0;
      meter.value = Math.min(issued, limit);
      const kind = audience === 'API' ? 'API, for every module' : `${audience}, one module`;
      const unit = windowSeconds === 3600 ? 'this hour' : 'this day';
      const wait = waitSeconds > 0 && knobs.tokenLimits ? `; the next one in ${waiting(waitSeconds)}` : '';
      say(text, `${kind}: ${figure(issued)} of ${figure(limit)} ${unit}${wait}`);
    },
  });
}

/**
 * @param {number} seconds
 * @returns {string}
 */
function waiting(seconds) {
  if (seconds < 120) return `${figure(seconds)} s`;
  return seconds < 7200 ? `${figure(Math.ceil(seconds / 60))} min` : `${figure(Math.ceil(seconds / 3600))} h`;
}
