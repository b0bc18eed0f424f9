import type { ChildProcess } from 'node:child_process';

/** Ends a process that does not end by itself. */
export interface TimeLimit {
  /** The process that is meant; said again, it changes nothing. */
  readonly watch: (process: ChildProcess) => void;
  readonly over: () => void;
}

/** Ends the process that is watched with SIGKILL `ms` from now, unless that is over by then. */
export function createTimeLimit(ms: number): TimeLimit {
  let watched: ChildProcess | undefined;
  const timer = setTimeout(() => watched?.kill('SIGKILL'), ms);
  return {
    watch: (process) => {
      watched ??= process;
    },
    over: () => clearTimeout(timer),
  };
}
