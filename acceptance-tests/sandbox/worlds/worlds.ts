import type { ScenarioOptions } from '../client-types.ts';
import { createWorld, type SandboxWorld } from './world.ts';

/** The worlds of one process, by id. */
export interface Worlds {
  get(id: string): SandboxWorld | undefined;
  /** The ids, oldest world first. */
  ids(): string[];
  /** A new world, under the id that was asked for or a free one; undefined if that id is taken. */
  create(options: ScenarioOptions): SandboxWorld | undefined;
  /** False if there was none. */
  remove(id: string): boolean;
}

/** No worlds yet. */
export function createWorlds(): Worlds {
  const worlds = new Map<string, SandboxWorld>();
  let made = 0;

  function freeId(): string {
    made += 1;
    return worlds.has(`w${made}`) ? freeId() : `w${made}`;
  }

  return {
    get: (id) => worlds.get(id),
    ids: () => [...worlds.keys()],
    create: (options) => {
      const id = options.id ?? freeId();
      if (worlds.has(id)) return undefined;
      const world = createWorld(id, options);
      worlds.set(id, world);
      return world;
    },
    remove: (id) => worlds.delete(id),
  };
}
