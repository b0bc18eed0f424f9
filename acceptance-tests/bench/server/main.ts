import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createBenchApi } from './api.ts';
import type { ListName } from './api.ts';

// Rows of each list are given as JSON; whoever started it is told the address, and ends it by letting go of it.
const rows = JSON.parse(process.argv[2] ?? '{}') as Record<ListName, number>;
const server = createServer({ keepAliveTimeout: 60_000 }, createBenchApi(rows));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => {
  server.closeAllConnections();
  server.close();
});
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
