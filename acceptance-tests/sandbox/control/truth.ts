import { setImmediate as breathe } from 'node:timers/promises';
import type { ListName, GroundTruth, GroundTruthSelection } from '../client-types.ts';
import { renderer } from '../data/render.ts';
import { createRowDigest, lineForm, union } from '../digest.ts';
import type { SandboxWorld } from '../worlds/world.ts';

/** Rows that are rendered before other requests get their turn. */
const rowsAtOnce = 200;

/** A row, living or dead, with the marks between which it lives; `death` is infinite for a living one. */
export interface Life {
  text: string;
  birth: number;
  death: number;
}

/** Whether a life between two marks is asked for. */
export type Wanted = (birth: number, death: number) => boolean;

/**
 * The rows of a list as they are at the moment of the call, in slices, living ones first: later changes do not show.
 * Only wanted lives are rendered. Texts are in line form.
 */
export function lives(world: SandboxWorld, kind: ListName, wanted: Wanted): AsyncGenerator<Life[]> {
  const { list } = world[kind];
  const { rows, created, births } = list.copy();
  const dead = [...list.dead()];
  const text = renderer(kind, world.seed, world.firstAssets, world.knobs());

  const lifeAt = (index: number): Life[] => {
    const gone = dead[index - rows.length];
    const birth = gone?.birth ?? births[index] ?? 0;
    const death = gone?.death ?? Number.POSITIVE_INFINITY;
    if (!wanted(birth, death)) return [];
    const served = text(gone?.row ?? rows[index] ?? 0, gone?.createdMicros ?? created[index] ?? 0);
    return [{ text: lineForm(served), birth, death }];
  };
  return slices(rows.length + dead.length, lifeAt);
}

async function* slices(count: number, lifeAt: (index: number) => Life[]): AsyncGenerator<Life[]> {
  for (let start = 0; start < count; start += rowsAtOnce) {
    const slice: Life[] = [];
    for (let index = start; index < Math.min(start + rowsAtOnce, count); index += 1)
      slice.push(...lifeAt(index));
    yield slice;
    await breathe();
  }
}

/** Which lives a selection wants. */
export function selected(selection: GroundTruthSelection): Wanted {
  const { since, after, lived } = selection;
  if (after !== undefined) return (birth) => birth > after;
  if (lived !== undefined) return (_birth, death) => death > lived;
  return (birth, death) => death === Number.POSITIVE_INFINITY && birth <= (since ?? birth);
}

/** Counts and digests of what the world holds, and of what has existed since the mark. */
export async function truthOf(world: SandboxWorld, since: number): Promise<GroundTruth> {
  // Both lists are copied before anything is awaited, so that they show the same moment.
  const [assets, alarms] = await Promise.all([
    digests(world, 'assets', since),
    digests(world, 'alarms', since),
  ]);
  return {
    assets: assets.now,
    alarms: alarms.now,
    existedThroughout: { assets: assets.throughout, alarms: alarms.throughout },
  };
}

async function digests(
  world: SandboxWorld,
  kind: ListName,
  since: number,
): Promise<{ now: GroundTruth['assets']; throughout: GroundTruth['assets'] }> {
  const throughout = createRowDigest();
  const younger = createRowDigest();
  for await (const slice of lives(world, kind, selected({})))
    for (const { text, birth } of slice) (birth <= since ? throughout : younger).add(text);
  return { now: union(throughout.result(), younger.result()), throughout: throughout.result() };
}
