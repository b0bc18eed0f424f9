import type * as nodeHttps from 'node:https';

let keptAlive: nodeHttps.Agent | null = null;

/**
 * `node:https`, loaded when it is first spoken: a config that is refused and an API on this machine do without TLS, which
 * takes a tenth of the time of Node.js's own start.
 */
export function https(): typeof nodeHttps {
  return process.getBuiltinModule('node:https');
}

/** The one agent of all https connections without a tunnel; they are kept alive and reused. */
export function httpsAgent(): nodeHttps.Agent {
  keptAlive ??= new (https().Agent)({ keepAlive: true });
  return keptAlive;
}
