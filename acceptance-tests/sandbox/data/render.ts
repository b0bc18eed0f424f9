import type { ListName } from '../client-types.ts';
import type { Knobs } from '../knobs/knobs.ts';
import { alarmText } from './alarm-text.ts';
import { assetText } from './asset-text.ts';
import { prettyJson } from './pretty-json.ts';

/** Makes the text of a row, exactly as pages carry it. */
export type Render = (row: number, createdMicros: number) => string;

/** How many levels deep an item stands in a page. */
const itemDepth = 2;

/** The renderer of a list under the given knobs; later changes of the knobs do not reach it. */
export function renderer(kind: ListName, seed: number, firstAssets: number, knobs: Knobs): Render {
  const format = knobs.createdFormat;
  const style = { format, createdMissingEvery: knobs.alarmsCreatedMissingEvery, assetRows: firstAssets };
  const compact: Render =
    kind === 'assets'
      ? (row, created) => assetText(seed, row, created, format)
      : (row, created) => alarmText(seed, row, created, style);
  return knobs.prettyPrint ? (row, created) => prettyJson(compact(row, created), itemDepth) : compact;
}
