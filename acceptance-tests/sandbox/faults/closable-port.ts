import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';

export type ClosablePort = Awaited<ReturnType<typeof createClosablePort>>;

/** Opens another port of a server that can be closed, so that connections are refused as if the machine were down. */
export async function createClosablePort(server: Server) {
  const sockets = new Set<Socket>();
  const listen = async (port: number): Promise<NetServer> => {
    const listener = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      server.emit('connection', socket);
    });
    // must not keep the process alive
    listener.listen(port, '127.0.0.1').unref();
    await once(listener, 'listening');
    return listener;
  };
  let listener: NetServer | undefined = await listen(0);
  const { port } = listener.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Refuses new connections and resets open ones. */
    close: (): void => {
      listener?.close();
      listener = undefined;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    reopen: async (): Promise<void> => {
      listener ??= await listen(port);
    },
  };
}
