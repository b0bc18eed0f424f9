import { createReadStream } from 'node:fs';

import { systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { OpenFile } from '../config/json-file.ts';
import { exchange } from '../http/request.ts';
import type { Exchange } from '../http/request.ts';
import { openFileStore } from '../token/file-token-store.ts';
import type { OpenTokenStore } from '../token/file-token-store.ts';

/** All that a command meets outside of the process, but for stdout and stderr. */
export interface World {
  readonly clock: Clock;
  /** The one way to the network. */
  readonly exchange: Exchange;
  /** Opens config, catalog and state. */
  readonly openFile: OpenFile;
  /** Where tokens are kept between processes. */
  readonly openTokenStore: OpenTokenStore;
}

export const systemWorld: World = {
  clock: systemClock,
  exchange,
  openFile: (path) => createReadStream(path),
  openTokenStore: openFileStore,
};
