import { createReadStream } from 'node:fs';

import { exchange } from '../http/request.ts';
import { openFileStore } from '../token/store.ts';
import type { World } from './connector.ts';

// The commands that need a config, and the world that they meet. Loaded late: with it `spec` and `--help` would take half as
// long again.
export { runCheck } from './check.ts';
export { runDiscover } from './discover.ts';
export { runRead } from './read.ts';

export const systemWorld: World = {
  exchange,
  openFile: (path) => createReadStream(path),
  openTokenStore: openFileStore,
};
