import { createServer } from 'node:net';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { once } from 'node:events';
import type { Server } from 'node:http';

/** A port of its own that leads to a server, and can be shut: then connections are refused, as by a machine that is down. */
export interface Door {
  readonly port: number;
  /** Cuts what is open (RST) and refuses what comes. */
  shut: () => void;
  /** Lets connections in again, on the same port. */
  open: () => Promise<void>;
}

/** Opens a door to `server` on a free port of the loopback interface. */
export async function createDoor(server: Server): Promise<Door> {
  const sockets = new Set<Socket>();
  const listen = async (port: number): Promise<NetServer> => {
    const door = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      server.emit('connection', socket);
    });
    door.listen(port, '127.0.0.1');
    // it must not keep the process alive
    door.unref();
    await once(door, 'listening');
    return door;
  };
  let door: NetServer | undefined = await listen(0);
  const { port } = door.address() as AddressInfo;
  return {
    port,
    shut: () => {
      door?.close();
      door = undefined;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    open: async () => {
      door ??= await listen(port);
    },
  };
}
