// Loaded into a process of the connector before it starts (node --import). The program is the one that ships; only time
// is shorter: a wait lasts 1 / WAIT_FACTOR as long, WAIT_MOST_MS at most, and the clock goes forward by what it leaves out;
// deadlines come DEADLINE_FACTOR times as early. Plain JavaScript: the connector's process has nothing that could translate it.
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

const waitFactor = Number(process.env['WAIT_FACTOR']);
const waitMostMs = Number(process.env['WAIT_MOST_MS']);
const deadlineFactor = Number(process.env['DEADLINE_FACTOR']);

const now = Date.now;
let skippedMs = 0;
Date.now = () => now() + Math.floor(skippedMs);

// waits are awaited, so they come from the module of promises …
const wait = promises.setTimeout;
promises.setTimeout = async (ms, value, options) => {
  const short = Math.min(ms / waitFactor, waitMostMs);
  const result = await wait(short, value, options);
  skippedMs += ms - short;
  return result;
};
syncBuiltinESMExports();

// … and deadlines are callbacks
const callLater = globalThis.setTimeout;
globalThis.setTimeout = (callback, ms, ...rest) => callLater(callback, ms / deadlineFactor, ...rest);
