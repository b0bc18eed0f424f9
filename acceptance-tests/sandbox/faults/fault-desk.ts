import { isDeepStrictEqual } from 'node:util';
import type { Server } from 'node:http';
import type { EndpointHook } from '../api/endpoint-hook.ts';
import type { EndpointName, SandboxConfig } from '../client-types.ts';
import type { SandboxWorld } from '../worlds/world.ts';
import { createAim } from './aim.ts';
import { catalogue } from './catalogue.ts';
import { createDoor } from './door.ts';
import type { Door } from './door.ts';
import { pageOf } from './fault-act.ts';
import type { FaultPlan, FaultPlans, FaultReport } from './fault-plan.ts';

/** Lets the faults of one world happen, and counts them. */
export interface FaultDesk {
  /** Replaces all faults of the world; `{}` lifts them, and a plan that stays the same goes on. Throws an error with `statusCode` 400 if one cannot happen there. */
  set: (plans: FaultPlans) => Promise<FaultReport>;
  report: () => FaultReport;
}

const endpoints: readonly EndpointName[] = ['token', 'assets', 'alarms'];

/** The desk of a world that `server` serves at `url`. */
export function createFaultDesk(world: SandboxWorld, server: Server, url: string): FaultDesk {
  const hits: FaultReport['hits'] = { token: 0, assets: 0, alarms: 0 };
  const tokens: string[] = [];
  const doors: Partial<Record<EndpointName, Door>> = {};
  let current: FaultPlans = {};
  const report = (): FaultReport => ({
    plans: current,
    config: behindDoors(world.config(url), doors),
    hits: { ...hits },
    tokens: [...tokens],
  });
  return {
    set: async (plans) => {
      for (const endpoint of endpoints) {
        const fault = plans[endpoint]?.fault;
        if (fault !== undefined && !catalogue[fault].endpoints.includes(endpoint))
          throw Object.assign(new Error(`${fault} cannot happen at ${endpoint}`), { statusCode: 400 });
      }
      const before = current;
      current = plans;
      for (const endpoint of endpoints) {
        const plan = plans[endpoint];
        // what stays as it is goes on where it is
        if (world.hooks[endpoint] !== undefined && isDeepStrictEqual(plan, before[endpoint])) continue;
        await doors[endpoint]?.open();
        if (plan?.fault === 'connectionRefused') doors[endpoint] ??= await createDoor(server);
        // no request comes before it
        if (plan?.fault === 'connectionRefused' && endpoint === 'token') doors[endpoint]?.shut();
        world.hooks[endpoint] = hookFor(endpoint, plan);
      }
      return report();
    },
    report,
  };

  function hookFor(endpoint: EndpointName, plan: FaultPlan | undefined): EndpointHook {
    const aim = plan === undefined ? () => false : createAim(plan, world.seed);
    const cursors = new Map<string, string>();
    let left = plan?.times ?? Number.POSITIVE_INFINITY;
    return {
      around: async (call, answer, deliver) => {
        if (endpoint === 'token' && answer.status < 300) tokens.push(...tokensIn(answer.body));
        const { after } = call.query;
        if (endpoint === 'alarms' && answer.status === 200) {
          const next = pageOf(answer).metadata.pagination['nextCursor'];
          if (typeof next === 'string' && next !== '' && typeof after === 'string') cursors.set(next, after);
        }
        const scene = { call, answer, deliver, cursorBefore: (cursor: string) => cursors.get(cursor) };
        if (plan === undefined || left <= 0 || !aim(call, answer)) return deliver(answer);
        // before anybody can know of it: whoever sees a connection cut must not find the door still open
        if (plan.fault === 'connectionRefused') doors[endpoint]?.shut();
        if (!catalogue[plan.fault].act(scene)) return deliver(answer);
        left -= 1;
        hits[endpoint] += 1;
      },
    };
  }
}

function tokensIn(body: string): string[] {
  const { accessToken } = JSON.parse(body) as { accessToken?: unknown };
  return typeof accessToken === 'string' ? [accessToken] : [];
}

function behindDoors(config: SandboxConfig, doors: Partial<Record<EndpointName, Door>>): SandboxConfig {
  return {
    ...config,
    auth_url: through(config.auth_url, doors.token),
    assets: { ...config.assets, base_url: through(config.assets.base_url, doors.assets) },
    alarms: { ...config.alarms, base_url: through(config.alarms.base_url, doors.alarms) },
  };
}

function through(address: string, door: Door | undefined): string {
  const url = new URL(address);
  if (door !== undefined) url.port = String(door.port);
  return url.href;
}
