import { isoMilliseconds } from './fast-text.ts';
import type { Random } from './random.ts';

/** The JSON text of a position. */
export function position(random: Random, atMs: number): string {
  return (
    `{"latitude":${36 + random.below(26)}.${random.digits(6)},"longitude":${random.once(4) ? '-' : ''}${random.below(24)}.${random.digits(6)},` +
    `"speedKph":${random.once(2) ? '0.0' : `${random.below(90)}.${random.digits(1)}`},"heading":${random.below(360)},"at":"${isoMilliseconds(atMs)}Z"}`
  );
}

/** A JSON array of `count` texts. */
export function list(count: number, make: () => string): string {
  let joined = '';
  for (let made = 0; made < count; made += 1) joined += made === 0 ? make() : `,${make()}`;
  return `[${joined}]`;
}

/** The JSON text of a plain string. */
export function text(value: string): string {
  return JSON.stringify(value);
}
