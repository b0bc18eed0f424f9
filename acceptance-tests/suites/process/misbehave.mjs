// Preloaded into the connector (node --import). MISBEHAVE is what goes wrong: on SIGUSR2 an unhandled error or a warning of Node.js;
// or timers never run, and files never open or requests find no connection.
import promises from 'node:fs/promises';
import { Agent } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const how = process.env.MISBEHAVE;
process.on('SIGUSR2', () => {
  if (how === 'rejection') void Promise.reject(new TypeError('a canary'));
  else if (how === 'warning') process.emitWarning('a canary');
  else throw new TypeError('a canary');
});
if (how.startsWith('no ')) globalThis.setTimeout = () => ({ unref: () => undefined });
if (how === 'no connection') Agent.prototype.addRequest = () => undefined;
if (how === 'no file') promises.mkdir = () => new Promise(() => undefined);
syncBuiltinESMExports();
