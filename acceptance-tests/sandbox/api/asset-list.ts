import { fraction, mix } from '../data/random.ts';
import { renderer } from '../data/render.ts';
import type { RowList } from '../data/row-list.ts';
import type { SandboxWorld } from '../worlds/world.ts';
import { jsonAnswer, type Answer } from './answer.ts';
import { envelope } from './envelope.ts';
import { offsetPagination } from './offset-pagination.ts';
import { checkNames, wholeNumber, type Query } from './query.ts';
import { Refusal } from './refusal.ts';

/** Answers `GET /v1/assets`. Throws a {@link Refusal} for parameters that are not in order. */
export function listAssets(world: SandboxWorld, query: Query): Answer {
  const knobs = world.knobs();
  const list = world.assets.list;
  checkNames(query, ['limit', 'offset'], knobs);
  const asked = wholeNumber(query, 'limit', 1) ?? knobs.assetsDefaultLimit;
  const offset = wholeNumber(query, 'offset', 0) ?? 0;
  if (knobs.assetsLimitRefusedAbove !== null && asked > knobs.assetsLimitRefusedAbove)
    throw new Refusal('badRequest', `limit: at most ${knobs.assetsLimitRefusedAbove}`);
  const granted = Math.min(asked, knobs.assetsLimitCap ?? asked);
  const total = list.size();
  const full = Math.max(0, Math.min(granted, total - offset));
  const short = offset + full < total && fraction(world.seed, offset, granted, 7) < knobs.assetsShortPages;
  // never a single row where there are two: no reader could tie such pages to one another
  const count = short && full > 2 ? 2 + (mix(world.seed, offset, granted, 8) % (full - 2)) : full;

  const text = renderer('assets', world.seed, world.firstAssets, knobs);
  const turn = world.nextTurn();
  const items: string[] = [];
  for (let position = offset; position < offset + count; position += 1) {
    const newestFirst = total - 1 - position;
    const index = knobs.assetsOrder === 'stable' ? newestFirst : swapped(list, newestFirst, turn);
    items.push(text(list.row(index), list.createdMicros(index)));
  }
  const pagination = offsetPagination({ offset, asked, granted, count, total }, knobs);
  return jsonAnswer(200, envelope(items, pagination, knobs), count);
}

/** Where `index` points among the rows of equal created time, whose order turns with every request. */
function swapped(list: RowList, index: number, turn: number): number {
  const created = list.createdMicros(index);
  const first = list.lowerIndex(created, 0);
  const length = list.lowerIndex(created, Number.POSITIVE_INFINITY) - first;
  return first + ((index - first + turn) % length);
}
