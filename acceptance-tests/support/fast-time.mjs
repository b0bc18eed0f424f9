// Preloaded into the connector (node --import). Waits are divided by WAIT_FACTOR, up to MAX_WAIT_MS, and the clock advances by what
// they omit; deadlines are divided by DEADLINE_FACTOR.
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

const waitFactor = Number(process.env['WAIT_FACTOR']);
const maxWaitMs = Number(process.env['MAX_WAIT_MS']);
const deadlineFactor = Number(process.env['DEADLINE_FACTOR']);

const now = Date.now;
let skippedMs = 0;
Date.now = () => now() + Math.floor(skippedMs);

// waits come from the module of promises …
const wait = promises.setTimeout;
promises.setTimeout = async (ms, value, options) => {
  const short = Math.min(ms / waitFactor, maxWaitMs);
  const result = await wait(short, value, options);
  skippedMs += ms - short;
  return result;
};
syncBuiltinESMExports();

// … and deadlines are callbacks
const callLater = globalThis.setTimeout;
globalThis.setTimeout = (callback, ms, ...rest) => callLater(callback, ms / deadlineFactor, ...rest);
