import type { Scenario } from '../../sandbox/client.ts';
import { truthTexts } from '../../support/compare-rows.ts';
import type { CrashFigures } from './crash-figures.ts';

/** When a read of the assets began: its first request, in whatever round, and the round that brought it to its end. */
export interface AssetMarks {
  readonly first: number;
  readonly last: number;
}

/**
 * Compares the assets that one read of the list has emitted, over several rounds, with the sandbox's truth. The list gets
 * new rows at its head only, so those that came in before the last round began must be there too.
 */
export async function checkAssets(
  world: Scenario,
  { first, last }: AssetMarks,
  emitted: ReadonlySet<string>,
  figures: CrashFigures,
): Promise<void> {
  const throughout = new Set(await truthTexts(world, 'assets', { since: first }));
  const missing = (await truthTexts(world, 'assets', { since: last })).filter((text) => !emitted.has(text));
  const lost = missing.filter((text) => throughout.has(text));
  const inserted = missing.filter((text) => !throughout.has(text));
  const altered = strangers(emitted, await truthTexts(world, 'assets', { lived: first }));
  figures.lost += lost.length;
  figures.lostInserted += inserted.length;
  figures.altered += altered.length;
  note('lost: assets', lost, figures);
  note('lost: assets that came in meanwhile', inserted, figures);
  note('altered: assets', altered, figures);
}

/** Compares the alarms of all rounds with the truth: those that were there at the mark must have been emitted. */
export async function checkAlarms(
  world: Scenario,
  mark: number,
  emitted: ReadonlySet<string>,
  figures: CrashFigures,
): Promise<void> {
  const lost = (await truthTexts(world, 'alarms', { since: mark })).filter((text) => !emitted.has(text));
  const altered = strangers(emitted, await truthTexts(world, 'alarms', {}));
  figures.lost += lost.length;
  figures.altered += altered.length;
  note('lost: alarms', lost, figures);
  note('altered: alarms', altered, figures);
}

function strangers(emitted: ReadonlySet<string>, truth: readonly string[]): string[] {
  const known = new Set(truth);
  return [...emitted].filter((text) => !known.has(text));
}

function note(words: string, texts: readonly string[], { rounds, examples }: CrashFigures): void {
  if (texts.length > 0)
    examples.push(`${words} (${texts.length}), after round ${rounds}: ${texts[0]?.slice(0, 150)}`);
}
