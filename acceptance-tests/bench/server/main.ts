import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createBenchApi } from './api.ts';

/** What the server is told over its channel, and what it answers. */
export type Order =
  | { readonly what: 'prepare'; readonly assets: number; readonly alarms: number; readonly oldAlarms: number }
  | { readonly what: 'figures' };

const api = createBenchApi();
const server = createServer({ keepAliveTimeout: 60_000 }, api.handle);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
let utilization = performance.eventLoopUtilization();
let cpu = process.cpuUsage();

process.on('message', (order: Order) => {
  if (order.what === 'prepare') api.prepare(order);
  const now = performance.eventLoopUtilization();
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({
    ...api.figures(),
    /** The share of the time in which it was not waiting. */
    busy: performance.eventLoopUtilization(now, utilization).utilization,
    cpuMs: (user + system) / 1000,
  });
  utilization = performance.eventLoopUtilization();
  cpu = process.cpuUsage();
});
// it ends with the process that started it, however that ends
process.on('disconnect', () => {
  server.closeAllConnections();
  server.close();
});
process.send?.({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
