import type { FastifyRequest } from 'fastify';
import type { SandboxWorld } from '../worlds/world.ts';
import type { Worlds } from '../worlds/worlds.ts';

/** Finds the world that a request's path names. Throws an error with `statusCode` 404 if there is none. */
export type WorldOf = (request: FastifyRequest) => SandboxWorld;

/** Looks worlds up among `worlds`. */
export function createWorldOf(worlds: Worlds): WorldOf {
  return (request) => {
    const { id } = request.params as { id: string };
    const world = worlds.get(id);
    if (world !== undefined) return world;
    throw Object.assign(new Error(`no world "${id}"`), { statusCode: 404 });
  };
}
