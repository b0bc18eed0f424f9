import { setMaxListeners } from 'node:events';

/** A signal for all requests that are dropped together, or with `parent`: Node.js 20 never lets go of one for each. */
export function startGroup(parent: AbortSignal) {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, parent]);
  // each request listens to it
  setMaxListeners(0, signal);
  return { signal, drop: () => abort.abort() };
}
