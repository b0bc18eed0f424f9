import { showMap } from './assets-map.js';
import { showBars } from './coverage-bars.js';
import { byId, el, figure, reconcile, say } from './dom.js';
import { createFaultSwitches } from './fault-switches.js';
import { showNewest } from './newest-rows.js';
import { showLog } from './request-log.js';
import { createSandbox } from './sandbox.js';
import { showTimeline } from './timeline.js';
import { showTokens } from './token-limits.js';
import { connectControls, showKnobs } from './world-controls.js';

/** @typedef {import('../page-view.ts').PageView} PageView */
/** @typedef {import('../coverage.ts').Numbered} Numbered */

const pollMs = 500;
/** Requests that the timeline can show, at most. */
const remembered = 2000;

const world = decodeURIComponent(location.pathname.split('/')[2] ?? '');
const sandbox = createSandbox(world);
/** The mark that changes are shown from; in the address, so that it outlives a reload. */
let since = Number(new URLSearchParams(location.hash.slice(1)).get('since') ?? 0);
/** @type {Numbered[]} */
let entries = [];
let ended = 0;
/** @type {PageView | undefined} */
let view;
/** @type {number | undefined} */
let chosen;

document.title = `Sandbox: ${world}`;
connectControls(sandbox, act);
const showFaults = createFaultSwitches(await sandbox.faultChoices(), (plans) => {
  void act(async () => {
    await sandbox.setFaults(plans);
    return 'The faults are set.';
  });
});
byId('afresh', HTMLElement).addEventListener('click', () => {
  void act(async () => {
    await sandbox.clearRequests();
    since = view?.mark ?? since;
    location.hash = `since=${since}`;
    entries = [];
    ended = 0;
    chosen = undefined;
    return 'All that was is forgotten.';
  });
});
byId('worlds', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  location.assign(`/worlds/${encodeURIComponent(byId('world', HTMLSelectElement).value)}/page`);
});
byId('span', HTMLElement).addEventListener('change', show);

for (;;) {
  if (!document.hidden) await poll();
  await new Promise((resolve) => {
    setTimeout(resolve, pollMs);
  });
}

/** Asks for everything once and shows it, unless something was changed meanwhile: then it may be old. */
async function poll() {
  const changes = sandbox.changes();
  try {
    const [next, report] = await Promise.all([sandbox.view(since, ended), sandbox.faults()]);
    say(byId('connection', HTMLElement), 'live');
    if (changes !== sandbox.changes()) return;
    const kept = next.requests.ended < ended ? [] : entries;
    entries = [...kept, ...next.requests.entries].slice(-remembered);
    ended = next.requests.ended;
    view = next;
    show();
    showFaults(report);
    say(byId('trouble', HTMLElement), '');
  } catch (error) {
    say(byId('connection', HTMLElement), 'no answer');
    complain(error);
  }
}

/**
 * Does a change, says what came of it, and shows the world after it.
 * @type {import('./world-controls.js').Act}
 */
async function act(change) {
  try {
    say(byId('said', HTMLElement), await change());
  } catch (error) {
    complain(error);
    return;
  }
  await poll();
}

/** @param {unknown} error */
function complain(error) {
  const words = error instanceof Error ? error.message : String(error);
  say(byId('trouble', HTMLElement), `${words}. Is the sandbox still running?`);
}

function show() {
  if (view === undefined) return;
  const { assets, alarms, worlds, now } = view;
  reconcile(byId('world', HTMLElement), worlds, {
    keyOf: (id) => id,
    make: (id) => el('option', id === world ? { value: id, selected: '' } : { value: id }, id),
  });
  byId('go', HTMLElement).hidden = worlds.length < 2;
  say(byId('asset-count', HTMLElement), figure(assets.count));
  say(byId('alarm-count', HTMLElement), figure(alarms.count));
  say(byId('clock', HTMLElement), now.replace('T', ' ').slice(0, 19));
  showMap(assets, chosen);
  showBars(assets, { chosen, choose });
  showTimeline(view, entries);
  showLog(entries);
  showTokens(view);
  showKnobs(view.knobs);
  showNewest(view);
}

/** @param {number} number */
function choose(number) {
  chosen = chosen === number ? undefined : number;
  show();
}
