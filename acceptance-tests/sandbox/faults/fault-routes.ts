import type { FastifyInstance } from 'fastify';
import type { WorldOf } from '../control/world-of.ts';
import type { SandboxWorld } from '../worlds/world.ts';
import { catalogue } from './catalogue.ts';
import { createFaultDesk } from './fault-desk.ts';
import type { FaultDesk } from './fault-desk.ts';
import { faultNames } from './fault-plan.ts';
import type { FaultPlans } from './fault-plan.ts';

const params = {
  type: 'object',
  properties: { id: { type: 'string', description: 'id of a world' } },
} as const;

const plan = {
  type: 'object',
  additionalProperties: false,
  required: ['fault', 'at', 'times'],
  properties: {
    fault: {
      enum: faultNames,
      description: faultNames.map((name) => `${name}: ${catalogue[name].words}`).join('; '),
    },
    at: { enum: ['any', 'first', 'middle', 'last', 'random'], description: 'which requests it meets' },
    times: { type: ['integer', 'null'], minimum: 1, description: 'how often it happens; null: for good' },
  },
} as const;

const schema = {
  tags: ['faults'],
  summary: 'Let endpoints misbehave; {} lifts all faults',
  description:
    'Gives the config to read the world with, how often each endpoint misbehaved since faults were first set, and the tokens issued since then.',
  params,
  body: {
    type: 'object',
    additionalProperties: false,
    properties: { token: plan, assets: plan, alarms: plan },
  },
};

const reportSchema = { tags: ['faults'], summary: 'What the faults have done', params };

/** Adds the endpoints for the faults of worlds. `url` is where the sandbox is reached. */
export function addFaultRoutes(app: FastifyInstance, worldOf: WorldOf, url: () => string): void {
  const desks = new WeakMap<SandboxWorld, FaultDesk>();
  const deskOf = (world: SandboxWorld): FaultDesk => {
    const desk = desks.get(world) ?? createFaultDesk(world, app.server, url());
    desks.set(world, desk);
    return desk;
  };

  app.put('/worlds/:id/faults', { schema }, (request) =>
    deskOf(worldOf(request)).set(request.body as FaultPlans),
  );

  app.get('/worlds/:id/faults', { schema: reportSchema }, (request) => deskOf(worldOf(request)).report());
}
