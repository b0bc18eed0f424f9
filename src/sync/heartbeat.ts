import type { Clock } from '../clock.ts';

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
export function startHeartbeat(
  silenceMs: number,
  beat: () => Promise<void>,
  after: Clock['after'],
): Heartbeat {
  let stopped = false;
  let cancel: (() => void) | null = null;
  const touch = (): void => {
    cancel?.();
    if (stopped) return;
    cancel = after(silenceMs, () => {
      void beat()
        .catch(() => undefined)
        .finally(touch);
    });
  };
  touch();
  return {
    touch,
    stop: () => {
      stopped = true;
      cancel?.();
    },
  };
}
