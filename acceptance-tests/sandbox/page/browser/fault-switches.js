import { byId, el, figure, say } from './dom.js';

/** @typedef {import('./sandbox.js').FaultReport} FaultReport */
/** @typedef {import('./sandbox.js').FaultPlans} FaultPlans */
/** @typedef {import('./sandbox.js').FaultChoice} FaultChoice */

const endpoints = /** @type {const} */ (['token', 'assets', 'alarms']);
const places = {
  any: 'every request',
  random: 'a third, at random',
  first: 'the first page',
  middle: 'pages in the middle',
  last: 'the last page',
};
const times = { '': 'for good', 1: 'once', 2: 'twice', 5: '5 times', 20: '20 times' };

/**
 * Makes a switch for each endpoint; `apply` is given all faults whenever one is turned.
 * @param {readonly FaultChoice[]} choices
 * @param {(plans: FaultPlans) => void} apply
 * @returns {(report: FaultReport) => void} shows what the sandbox reports
 */
export function createFaultSwitches(choices, apply) {
  const rows = endpoints.map((endpoint) => {
    const possible = choices.filter((choice) => choice.endpoints.includes(endpoint));
    const fault = select(Object.fromEntries(possible.map(({ name, words }) => [name, words])));
    const place = select(endpoint === 'token' ? { any: places.any } : places);
    const often = select(times);
    const on = el('input', { type: 'checkbox', role: 'switch' });
    const hits = el('p', {});
    fault.value = 'status503';
    const group = el(
      'fieldset',
      {},
      el('legend', {}, endpoint),
      el('label', { class: 'switch' }, on, ' misbehaves'),
      el('label', {}, 'How ', fault),
      el('label', {}, 'When ', place),
      el('label', {}, 'How often ', often),
      hits,
    );
    group.addEventListener('change', (event) => {
      if (on.checked || event.target === on) apply(plans());
    });
    byId('faults', HTMLElement).append(group);
    return { endpoint, group, fault, place, often, on, hits };
  });

  /** @returns {FaultPlans} */
  function plans() {
    return Object.fromEntries(
      rows
        .filter(({ on }) => on.checked)
        .map(({ endpoint, fault, place, often }) => [
          endpoint,
          { fault: fault.value, at: place.value, times: often.value === '' ? null : Number(often.value) },
        ]),
    );
  }

  return (report) => {
    for (const { endpoint, group, fault, place, often, on, hits } of rows) {
      const plan = report.plans[endpoint];
      say(hits, `happened so far: ${figure(report.hits[endpoint])}`);
      // A person who is choosing is not interrupted.
      if (group.contains(document.activeElement) && on.checked === (plan !== undefined)) continue;
      on.checked = plan !== undefined;
      if (plan === undefined) continue;
      choose(fault, plan.fault, plan.fault);
      choose(place, plan.at, plan.at);
      choose(often, plan.times === null ? '' : String(plan.times), `${plan.times} times`);
    }
  };
}

/**
 * @param {Record<string, string>} options
 * @returns {HTMLSelectElement}
 */
function select(options) {
  // the order of object keys would put numbers first
  const entries = Object.entries(options).toSorted(([a], [b]) => Number(a !== '') - Number(b !== ''));
  return el('select', {}, ...entries.map(([value, words]) => el('option', { value }, words)));
}

/**
 * Selects a value, one more if the list did not have it.
 * @param {HTMLSelectElement} list
 * @param {string} value
 * @param {string} words what that one is called
 */
export function choose(list, value, words) {
  if (![...list.options].some((option) => option.value === value))
    list.append(el('option', { value }, words));
  if (list.value !== value) list.value = value;
}
