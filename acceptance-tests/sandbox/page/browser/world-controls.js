import { byId, duration, figure } from './dom.js';
import { choose } from './fault-switches.js';

/** @typedef {import('./sandbox.js').Sandbox} Sandbox */
/** @typedef {import('../page-view.ts').PageView} PageView */
/** @typedef {(change: () => Promise<string>) => Promise<void>} Act does a change and says what came of it */

/** Rows that come in, and that go, with every move. */
const moved = 3;

const latency = field('pace', 'latencyMs', HTMLSelectElement);
const cap = field('pace', 'assetsLimitCap', HTMLSelectElement);
const limits = field('limits', 'tokenLimits', HTMLInputElement);

/**
 * Makes the buttons work.
 * @param {Sandbox} sandbox
 * @param {Act} act
 */
export function connectControls(sandbox, act) {
  onSubmit('insert', async (form) => {
    const { ids } = await sandbox.insert(Number(form('count')), form('at'));
    return `${figure(ids.length)} assets came in.`;
  });
  onSubmit('delete', async (form) => {
    const { ids } = await sandbox.remove(Number(form('count')), form('at'));
    return `${figure(ids.length)} assets went.`;
  });
  onSubmit('arrive', async (form) => {
    const { ids } = await sandbox.arrive(Number(form('count')));
    return `${figure(ids.length)} alarms arrived.`;
  });
  onSubmit('advance', async (form) => {
    const { now } = await sandbox.advance(Number(form('seconds')));
    return `The clock of the world says ${now.replace('T', ' ').slice(0, 19)}.`;
  });
  onTurn(latency, () => ({ latencyMs: Number(latency.value) }));
  onTurn(cap, () => ({ assetsLimitCap: cap.value === '' ? null : Number(cap.value) }));
  onTurn(limits, () => ({ tokenLimits: limits.checked }));
  const moving = byId('moving', HTMLInputElement);
  setInterval(() => {
    if (moving.checked)
      void act(async () => {
        await sandbox.insert(moved, 'head');
        await sandbox.remove(moved, 'random');
        return 'The list moves.';
      });
  }, 1000);

  /**
   * @param {string} id
   * @param {(form: (name: string) => string) => Promise<string>} change is given what its fields hold
   */
  function onSubmit(id, change) {
    const form = byId(id, HTMLFormElement);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const data = new FormData(form);
      void act(() =>
        change((name) => {
          const value = data.get(name);
          return typeof value === 'string' ? value : '';
        }),
      );
    });
  }

  /**
   * @param {HTMLElement} control
   * @param {() => object} patch
   */
  function onTurn(control, patch) {
    control.addEventListener('change', () => {
      void act(async () => {
        await sandbox.turn(patch());
        return 'Changed.';
      });
    });
  }
}

/**
 * Shows how the knobs of the world stand.
 * @param {PageView['knobs']} knobs
 */
export function showKnobs(knobs) {
  choose(latency, String(knobs.latencyMs), duration(knobs.latencyMs));
  const most = knobs.assetsLimitCap;
  choose(cap, most === null ? '' : String(most), figure(most ?? 0));
  limits.checked = knobs.tokenLimits;
}

/**
 * @template {Element} T
 * @param {string} form
 * @param {string} name
 * @param {new () => T} type
 * @returns {T}
 */
function field(form, name, type) {
  const found = byId(form, HTMLFormElement).elements.namedItem(name);
  if (found instanceof type) return found;
  throw new Error(`the form "${form}" has no ${type.name} "${name}"`);
}
