import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createLog } from './request-log.ts';

const REQUEST = { endpoint: 'assets', query: {}, body: '' } as const;

/** Logs a request on a connection; returns how long no client had been connected before. */
function idleMs(log: ReturnType<typeof createLog>, connection: Socket): number | undefined {
  log.begin(REQUEST, connection)(0, { status: 200, held: [] });
  return log.read(1).last[0]?.idleMs;
}

test('scenarios that share a connection do not listen to it one by one', () => {
  const connection = new Socket();
  for (let scenario = 0; scenario < 20; scenario++) idleMs(createLog(), connection);
  expect(connection.listenerCount('close')).toBeLessThan(10);
});

test('a connection after all others were closed has the idle time before it', async () => {
  const time = vi.spyOn(performance, 'now');
  try {
    const [first, second, third] = [new Socket(), new Socket(), new Socket()];
    const log = createLog();
    time.mockReturnValue(1000);
    expect([idleMs(log, first), idleMs(log, second)]).toStrictEqual([0, 0]);
    time.mockReturnValue(2000);
    first.emit('close');
    time.mockReturnValue(3000);
    second.emit('close');
    time.mockReturnValue(3500);
    expect([idleMs(log, third), idleMs(log, third)]).toStrictEqual([500, 0]);
    expect(idleMs(log, new Socket())).toBe(0);
  } finally {
    time.mockRestore();
  }
});
