import { byId, duration, el, figure, reconcile, say, set } from './dom.js';

/** @typedef {import('../page-view.ts').PageView} PageView */
/** @typedef {import('../coverage.ts').Numbered} Numbered */

const svg = 'http://www.w3.org/2000/svg';
const width = 1000;
const endpoints = /** @type {const} */ (['token', 'assets', 'alarms']);

const timeline = byId('timeline', HTMLElement);
const span = byId('span', HTMLSelectElement);

const lanes = endpoints.map((endpoint) => {
  const sums = el('p', {});
  const marks = document.createElementNS(svg, 'svg');
  set(marks, 'viewBox', `0 0 ${width} 24`);
  set(marks, 'preserveAspectRatio', 'none');
  set(marks, 'role', 'img');
  timeline.append(el('div', { class: 'lane' }, el('h3', {}, endpoint), sums, marks));
  return { endpoint, sums, marks };
});
const begin = el('span', {});
timeline.append(el('div', { class: 'axis', 'aria-hidden': 'true' }, begin, el('span', {}, 'now')));

/**
 * Draws each request as a mark: it stands where it began, is as wide as it took, and is tall and red if it failed.
 * @param {PageView} view
 * @param {readonly Numbered[]} entries
 */
export function showTimeline(view, entries) {
  const seconds = Number(span.value);
  const start = Date.parse(view.realTime) - seconds * 1000;
  const scale = width / (seconds * 1000);
  say(begin, `${span.selectedOptions[0]?.textContent ?? ''} ago`);
  for (const { endpoint, sums, marks } of lanes) {
    const shown = entries.filter(
      (entry) => entry.endpoint === endpoint && Date.parse(entry.at) + entry.ms > start,
    );
    say(sums, summary(view, endpoint, shown));
    set(marks, 'aria-label', `${endpoint}: ${figure(shown.length)} requests in the time shown`);
    reconcile(marks, shown, {
      keyOf: ({ number }) => number,
      make: ({ status }) => {
        const mark = document.createElementNS(svg, 'rect');
        const failed = status < 200 || status > 299;
        set(mark, 'class', failed ? 'failed' : 'fine');
        set(mark, 'y', failed ? '0' : '8');
        set(mark, 'height', failed ? '24' : '16');
        return mark;
      },
      update: (mark, { at, ms }) => {
        set(mark, 'x', ((Date.parse(at) - start) * scale).toFixed(1));
        set(mark, 'width', Math.max(2, ms * scale).toFixed(1));
      },
    });
  }
}

/**
 * @param {PageView} view
 * @param {(typeof endpoints)[number]} endpoint
 * @param {readonly Numbered[]} shown
 * @returns {string}
 */
function summary(view, endpoint, shown) {
  const { count, rows, byStatus, maxInFlight } = view.requests.endpoints[endpoint];
  if (count === 0) return 'not asked yet';
  const statuses = Object.entries(byStatus).map(
    ([status, times]) => `${statusWords(status)} × ${figure(times)}`,
  );
  const times = shown.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const middle = times[times.length >> 1];
  return [
    `${figure(count)} ${count === 1 ? 'request' : 'requests'}`,
    ...(endpoint === 'token' ? [] : [`${figure(rows)} rows`]),
    statuses.join(', '),
    `at most ${figure(maxInFlight)} at once`,
    ...(middle === undefined ? [] : [`median ${duration(middle)}`]),
  ].join(' · ');
}

/**
 * A status for people.
 * @param {string | number} status
 * @returns {string}
 */
export function statusWords(status) {
  return Number(status) === 0 ? 'cut off' : String(status);
}
