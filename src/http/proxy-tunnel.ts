import { request as httpRequest } from 'node:http';
import type { Agent, RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { configError, isConnectorError } from '../errors.ts';
import { HttpExchangeError, networkMessage } from './exchange-error.ts';
import { https } from './https.ts';
import { proxyAuthorization } from './proxy-choice.ts';
import { USER_AGENT } from './user-agent.ts';

/** The status with which a proxy asks for credentials. */
export const ASKS_FOR_CREDENTIALS = 407;

/** What a request must hand to the agent beside the usual: an agent has no way to see that its request was given up. */
export interface TunnelOptions {
  readonly agent: Agent;
  /** Ends the making of a tunnel: until there is one, a request that is aborted would wait for it in vain. */
  readonly tunnelSignal: AbortSignal;
}

const agents = new Map<string, Agent>();

/**
 * Options of an https request that goes through a proxy by CONNECT: TLS is spoken with the API itself, so the proxy sees
 * its name and nothing more. Tunnels are kept alive and reused.
 *
 * A request fails with HttpExchangeError if the proxy cannot be reached or refuses, with config_error PROXY if it asks for
 * other credentials.
 */
export function throughTunnel(proxy: URL, signal: AbortSignal): TunnelOptions {
  const agent = agents.get(proxy.href) ?? createTunnelAgent(proxy);
  agents.set(proxy.href, agent);
  return { agent, tunnelSignal: signal };
}

type ConnectOptions = RequestOptions & Partial<TunnelOptions>;
type Connected = (error: Error | null, socket?: Duplex | null) => void;

function createTunnelAgent(proxy: URL): Agent {
  const agent = new (https().Agent)({ keepAlive: true });
  const connectOverTls = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const connected = callback as Connected;
    openTunnel(proxy, options as ConnectOptions)
      .then((socket) => connectOverTls({ ...options, socket } as RequestOptions))
      .then(
        (connection) => connected(null, connection),
        (error: unknown) => connected(error as Error),
      );
    return undefined;
  };
  return agent;
}

async function openTunnel(proxy: URL, options: ConnectOptions): Promise<Socket> {
  const { host, port, tunnelSignal } = options;
  const target = `${host?.includes(':') === true ? `[${host}]` : host}:${port}`;
  try {
    return await connect(proxy, target, tunnelSignal);
  } catch (error) {
    if (error instanceof HttpExchangeError || isConnectorError(error, null)) throw error;
    throw new HttpExchangeError(`the proxy ${proxy.host} cannot be used (${networkMessage(error)})`, {
      cause: error,
    });
  }
}

function connect(proxy: URL, target: string, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = proxy.protocol === 'https:' ? https().request : httpRequest;
    const asked = request({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port,
      path: target,
      headers: { host: target, 'user-agent': USER_AGENT, ...proxyAuthorization(proxy) },
      agent: false,
      rejectUnauthorized: true,
      ...(signal === undefined ? {} : { signal }),
    });
    asked.on('error', reject);
    asked.on('close', () => reject(new Error('it closed the connection without an answer')));
    asked.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      reject(refusal(proxy, target, statusCode));
    });
    asked.on('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(refusal(proxy, target, statusCode));
    });
    asked.end();
  });
}

/** The error for a proxy that answers with its own words instead of handing on. */
export function refusal(proxy: URL, target: string, status: number): Error {
  return status === ASKS_FOR_CREDENTIALS
    ? configError(
        'PROXY',
        `the proxy ${proxy.host} asks for other credentials (407). Check user and password in HTTPS_PROXY or HTTP_PROXY.`,
      )
    : new HttpExchangeError(`the proxy ${proxy.host} refuses to connect to ${target} (status ${status})`);
}
