import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';

export type Door = Awaited<ReturnType<typeof createDoor>>;

/** A port of its own that leads to a server, and can be shut: then connections are refused, as by a machine that is down. */
export async function createDoor(server: Server) {
  const sockets = new Set<Socket>();
  const listen = async (port: number): Promise<NetServer> => {
    const opened = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      server.emit('connection', socket);
    });
    // it must not keep the process alive
    opened.listen(port, '127.0.0.1').unref();
    await once(opened, 'listening');
    return opened;
  };
  let door: NetServer | undefined = await listen(0);
  const { port } = door.address() as AddressInfo;
  return {
    /** An address, as it is behind this door. */
    addressOf: (address: string): string => Object.assign(new URL(address), { port }).href,
    /** Cuts what is open (RST) and refuses what comes. */
    shut: (): void => {
      door?.close();
      door = undefined;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    /** Lets connections in again, on the same port. */
    open: async (): Promise<void> => {
      door ??= await listen(port);
    },
  };
}
