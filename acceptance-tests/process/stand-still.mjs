// Loaded into the connector ahead of its own code (node --import): its requests never get a connection, and its timers never
// run, as if a promise had been forgotten.
import { Agent } from 'node:http';

Agent.prototype.addRequest = () => undefined;
globalThis.setTimeout = () => ({ unref: () => undefined });
