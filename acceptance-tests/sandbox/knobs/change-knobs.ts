import { knobSchemas } from './knob-schema.ts';
import type { KnobPatch, Knobs } from './knobs.ts';

/** The knobs of a world in which nobody turned one. */
export const defaultKnobs: Knobs = Object.fromEntries(
  Object.entries(knobSchemas).map(([name, schema]) => [name, schema.default]),
) as unknown as Knobs;

/** The knobs after a change; knobs that are objects keep the members that the patch leaves out. */
export function changedKnobs(knobs: Knobs, patch: KnobPatch): Knobs {
  const changed: Record<string, unknown> = { ...knobs };
  for (const [name, value] of Object.entries(patch)) {
    const before = changed[name];
    changed[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return changed as unknown as Knobs;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
