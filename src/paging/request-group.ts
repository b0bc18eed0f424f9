import { setMaxListeners } from 'node:events';

/** The default reason, made once, because each new one records its stack. */
const DROPPED = new DOMException('This operation was aborted', 'AbortError');

/** Returns one signal for all requests that are aborted together, or with `parent`: Node.js 20 would leak a signal per request. */
export function startGroup(parent: AbortSignal) {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, parent]);
  // each request listens to it
  setMaxListeners(0, signal);
  return { signal, drop: () => abort.abort(DROPPED) };
}
