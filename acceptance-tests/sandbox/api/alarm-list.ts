import type { Instant } from '../data/instant.ts';
import { fraction } from '../data/random.ts';
import { renderer } from '../data/render.ts';
import type { Knobs } from '../knobs/knobs.ts';
import type { SandboxWorld } from '../worlds/world.ts';
import type { CursorContent } from './alarm-cursor.ts';
import { jsonAnswer, type Answer } from './answer.ts';
import { lowestCreated, readCreatedSince } from './created-since.ts';
import { envelope } from './envelope.ts';
import { checkNames, single, wholeNumber, type Query } from './query.ts';
import { Refusal } from './refusal.ts';

/** Empty pages that one place of a chain can have in a row, so that every chain comes to its end. */
const emptyPagesInARow = 3;

/** Answers `GET /v1/alarms`. Throws a {@link Refusal} for parameters that are not in order. */
export function listAlarms(world: SandboxWorld, query: Query): Answer {
  const knobs = world.knobs();
  const list = world.alarms.list;
  checkNames(query, ['limit', 'after', 'createdSince'], knobs);
  const max = knobs.alarmsMaxPageSize;
  const limit = Math.min(wholeNumber(query, 'limit', 1) ?? max, max);
  const asked = readCreatedSince(single(query, 'createdSince'), knobs);
  const cursor = readCursor(world, single(query, 'after'));
  const since = boundOf(asked, cursor, knobs);

  const from = list.lowerIndex(lowestCreated(since, knobs), 0);
  const order = world.alarmOrders(knobs.alarmsOrder, from);
  const start = cursor === undefined ? 0 : order.placesUpTo(cursor);
  const left = order.length - start;
  const empty = cursor !== undefined && left > 0 && isEmptyPage(world, cursor);
  const count = empty ? 0 : Math.min(limit, left);

  const text = renderer('alarms', world.seed, world.firstAssets, knobs);
  const items: string[] = [];
  let last: CursorContent | undefined = empty ? { ...cursor, emptyPages: cursor.emptyPages + 1 } : undefined;
  for (let place = start; place < start + count; place += 1) {
    const index = order.indexAt(place);
    const row = list.row(index);
    const createdMicros = list.createdMicros(index);
    items.push(text(row, createdMicros));
    if (place === start + count - 1) last = { row, createdMicros, since, issuedMicros: 0, emptyPages: 0 };
  }
  const more = empty || left > count || (knobs.alarmsTrailingEmptyPage && count === limit);
  const next = more && last !== undefined ? { ...last, issuedMicros: world.clock.nowMicros() } : undefined;
  return jsonAnswer(200, envelope(items, pagination(world, next, knobs), knobs), count);
}

const endText = { empty: '{"nextCursor":""}', null: '{"nextCursor":null}', absent: '{}' } as const;

function pagination(world: SandboxWorld, next: CursorContent | undefined, knobs: Knobs): string {
  if (next === undefined) return endText[knobs.alarmsEnd];
  return `{"nextCursor":"${world.cursors.write(next, knobs.alarmsCursor)}"}`;
}

function readCursor(world: SandboxWorld, after: string | undefined): CursorContent | undefined {
  if (after === undefined) return undefined;
  const knobs = world.knobs();
  const cursor = world.cursors.read(after);
  if (cursor === undefined) throw new Refusal('badRequest', 'after: no cursor of this list');
  const life = knobs.alarmsCursorLifetimeSeconds;
  if (life === null || world.clock.nowMicros() - cursor.issuedMicros < life * 1_000_000) return cursor;
  if (knobs.alarmsExpiredCursor === 'refuse')
    throw new Refusal('badRequest', 'after: the cursor has expired');
  return undefined;
}

function boundOf(
  asked: Instant | undefined,
  cursor: CursorContent | undefined,
  knobs: Knobs,
): Instant | undefined {
  if (cursor === undefined) return asked;
  if (knobs.alarmsCursorSince === 'cursor') return cursor.since;
  const same = asked?.micros === cursor.since?.micros && asked?.nanos === cursor.since?.nanos;
  if (knobs.alarmsCursorSince === 'mustMatch' && !same)
    throw new Refusal('badRequest', 'createdSince: not the one that the chain of this cursor began with');
  return asked;
}

/** A pure function of the cursor: the same request gets the same page. */
function isEmptyPage(world: SandboxWorld, cursor: CursorContent): boolean {
  const chance = world.knobs().alarmsEmptyPages;
  return (
    cursor.emptyPages < emptyPagesInARow &&
    fraction(world.seed, cursor.createdMicros, cursor.row, cursor.emptyPages, 14) < chance
  );
}
