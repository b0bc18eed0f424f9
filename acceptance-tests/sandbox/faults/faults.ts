import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../api/answer.ts';
import { fraction } from '../data/random.ts';
import { each, endpointNames, lists, type EndpointName } from '../lists.ts';
import { pageOf, type Call, type Scene } from './act.ts';
import { catalogue, type FaultName } from './catalogue.ts';

/**
 * Which requests a fault meets. `any`: each one; `first`, `middle`, `last`: those for that page of a list (middle is every
 * page between the other two); `random`: about every third one, and one of the first three for certain, but never more
 * than two in a row that ask for the same.
 */
export const faultPlaces = ['any', 'random', 'first', 'middle', 'last'] as const;
export type FaultPlace = (typeof faultPlaces)[number];

/** A fault of one endpoint. */
export interface FaultPlan {
  fault: FaultName;
  at: FaultPlace;
  /** How often it happens; null: for good. `connectionRefused` stays until other faults are set, in any case. */
  times: number | null;
}

/** The faults of a scenario, by endpoint; an endpoint that is left out behaves. */
export type FaultPlans = Partial<Record<EndpointName, FaultPlan>>;

/** What the faults of a scenario have done since they were first set. */
export interface FaultCounts {
  /** The faults that were set last. */
  plans: FaultPlans;
  /** Times that a fault happened. A connection that is refused is seen by nobody, so the cut before it is what counts. */
  hits: Record<EndpointName, number>;
}

/** Sends the answer to a call, or lets a fault happen in its place. */
type Send = (call: Call, answer: Answer, deliver: Scene['deliver']) => void;

/** The faults of one scenario: none until some are set. */
export function createFaults(seed: number) {
  const hits = each(endpointNames, () => 0);
  const doors: Partial<Record<EndpointName, Door>> = {};
  const sends: Partial<Record<EndpointName, Send>> = {};
  let current: FaultPlans = {};

  function sendFor(endpoint: EndpointName, plan: FaultPlan | undefined): Send {
    const isMeant = plan === undefined ? () => false : createAim(plan, seed);
    const cursors = new Map<string, string>();
    let left = plan?.times ?? Number.POSITIVE_INFINITY;
    return (call, answer, deliver) => {
      const { after } = call.query;
      if (typeof after === 'string' && answer.status === 200) {
        const { nextCursor: next } = pageOf(answer).metadata.pagination;
        if (typeof next === 'string' && next !== '') cursors.set(next, after);
      }
      if (plan === undefined || left <= 0 || !isMeant(call, answer)) return deliver(answer);
      // before anybody can know of it: whoever sees a connection cut must not find the door still open
      if (plan.fault === 'connectionRefused') doors[endpoint]?.shut();
      const scene = { call, answer, deliver, cursorBefore: (cursor: string) => cursors.get(cursor) };
      if (!catalogue[plan.fault].act(scene)) return deliver(answer);
      left -= 1;
      hits[endpoint] += 1;
    };
  }

  return {
    /** Sends an answer, or what a fault makes of it. */
    send: (call: Call, answer: Answer, deliver: Scene['deliver']): void =>
      (sends[call.endpoint] ?? ((_call, right) => deliver(right)))(call, answer, deliver),
    /** Replaces all faults; one that stays the same goes on. Throws an error with `statusCode` 400 if one cannot happen there. */
    set: async (plans: FaultPlans, server: Server): Promise<void> => {
      for (const endpoint of endpointNames) {
        const fault = plans[endpoint]?.fault;
        if (fault !== undefined && !catalogue[fault].endpoints.includes(endpoint))
          throw Object.assign(new Error(`${fault} cannot happen at ${endpoint}`), { statusCode: 400 });
      }
      const before = current;
      current = plans;
      for (const endpoint of endpointNames) {
        const plan = plans[endpoint];
        // what stays as it is goes on where it is
        if (sends[endpoint] !== undefined && isDeepStrictEqual(plan, before[endpoint])) continue;
        await doors[endpoint]?.open();
        if (plan?.fault === 'connectionRefused') doors[endpoint] ??= await createDoor(server);
        // no request comes before it
        if (plan?.fault === 'connectionRefused' && endpoint === 'token') doors[endpoint]?.shut();
        sends[endpoint] = sendFor(endpoint, plan);
      }
    },
    counts: (): FaultCounts => ({ plans: current, hits: { ...hits } }),
    /** The address of an endpoint while faults happen: behind the door of its own, where it has one. */
    address: (endpoint: EndpointName, address: string): string => {
      const url = new URL(address);
      const door = doors[endpoint];
      if (door !== undefined) url.port = String(door.port);
      return url.href;
    },
  };
}

/** Requests that ask for the same and meet a random fault one after the other, at most: a few attempts get through. */
const mostInARow = 2;
const chance = 1 / 3;

/** Decides for each request in turn whether the fault is meant for it; random ones follow from the seed and the order. */
function createAim(plan: FaultPlan, seed: number): (call: Call, answer: Answer) => boolean {
  const inARow = new Map<string, number>();
  let requests = 0;
  return (call, answer) => {
    if (plan.at === 'any' || call.endpoint === 'token') return true;
    if (plan.at !== 'random') return answer.status === 200 && placeOf(call, answer) === plan.at;
    requests += 1;
    const key = JSON.stringify(call.query);
    const before = inARow.get(key) ?? 0;
    const certain = requests === 1 + Math.floor(3 * fraction(seed, 0, 0, 11));
    const hit = (certain || fraction(seed, requests, 0, 12) < chance) && before < mostInARow;
    inARow.set(key, hit ? before + 1 : 0);
    return hit;
  };
}

/** Which page of its list an answer is. */
function placeOf({ endpoint, query }: Call, answer: Answer): 'first' | 'middle' | 'last' {
  const { pagination } = pageOf(answer).metadata;
  if (endpoint !== 'token' && lists[endpoint].paging === 'cursor') {
    if (query['after'] === undefined) return 'first';
    return (pagination['nextCursor'] ?? '') === '' ? 'last' : 'middle';
  }
  const offset = Number(query['offset'] ?? 0);
  if (offset === 0) return 'first';
  return offset + answer.rows >= Number(pagination['totalCount']) ? 'last' : 'middle';
}

type Door = Awaited<ReturnType<typeof createDoor>>;

/** A port of its own that leads to a server, and can be shut: then connections are refused, as by a machine that is down. */
async function createDoor(server: Server) {
  const sockets = new Set<Socket>();
  const listen = async (port: number): Promise<NetServer> => {
    const opened = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      server.emit('connection', socket);
    });
    opened.listen(port, '127.0.0.1');
    // it must not keep the process alive
    opened.unref();
    await once(opened, 'listening');
    return opened;
  };
  let door: NetServer | undefined = await listen(0);
  const { port } = door.address() as AddressInfo;
  return {
    port,
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
