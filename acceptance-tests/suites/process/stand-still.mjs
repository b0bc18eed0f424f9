// Loaded into the connector ahead of its own code (node --import): its timers never run, and either its requests never get a
// connection or its files are never opened (STANDS), as if a promise had been forgotten.
import promises from 'node:fs/promises';
import { Agent } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

globalThis.setTimeout = () => ({ unref: () => undefined });
if (process.env.STANDS === 'request') Agent.prototype.addRequest = () => undefined;
else {
  promises.open = () => new Promise(() => undefined);
  syncBuiltinESMExports();
}
