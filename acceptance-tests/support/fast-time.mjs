// Preloaded into the connector (node --import). Waits are divided by WAIT_FACTOR, up to MAX_WAIT_MS, deadlines by DEADLINE_FACTOR, and
// both clocks advance by what is omitted; waits that overlap omit it once. CLOCK_FILE, if set, contains the ms omitted so far.
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

const waitFactor = Number(process.env['WAIT_FACTOR']);
const maxWaitMs = Number(process.env['MAX_WAIT_MS']);
const deadlineFactor = Number(process.env['DEADLINE_FACTOR']);
const clockFile = process.env['CLOCK_FILE'];

const now = Date.now;
const ticks = performance.now.bind(performance);
let skippedMs = 0;
Date.now = () => now() + Math.floor(skippedMs);
performance.now = () => ticks() + skippedMs;

/** Returns a function that advances the clocks to the time after `ms` from now on. */
const jumpAfter = (ms) => {
  const end = performance.now() + ms;
  return () => {
    skippedMs = Math.max(skippedMs, end - ticks());
    if (clockFile !== undefined) writeFileSync(clockFile, String(skippedMs));
  };
};

// waits come from the module of promises …
const wait = promises.setTimeout;
promises.setTimeout = async (ms, value, options) => {
  const jump = jumpAfter(ms);
  const result = await wait(Math.min(ms / waitFactor, maxWaitMs), value, options);
  jump();
  return result;
};
syncBuiltinESMExports();

// … and deadlines are callbacks
const callLater = globalThis.setTimeout;
globalThis.setTimeout = (callback, ms, ...rest) => {
  const jump = jumpAfter(ms);
  const onTime = (...args) => {
    jump();
    callback(...args);
  };
  return callLater(onTime, ms / deadlineFactor, ...rest);
};
