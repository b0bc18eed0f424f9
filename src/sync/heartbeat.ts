/** Says something whenever nothing has been said for long. */
export interface Heartbeat {
  /** Something has been said. */
  readonly touch: () => void;
  readonly stop: () => void;
}

/**
 * Calls `beat` after each `silenceMs` without a touch, one call at a time, until it is stopped. It does not keep the
 * process alive. A `beat` that fails is not reported: whoever says something next fails in the same way.
 */
export function startHeartbeat(silenceMs: number, beat: () => Promise<void>): Heartbeat {
  let stopped = false;
  const timer = setTimeout(() => {
    void beat()
      .catch(() => undefined)
      .finally(touch);
  }, silenceMs).unref();
  function touch(): void {
    // a timer that was cleared would start again
    if (!stopped) timer.refresh();
  }
  return {
    touch,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
