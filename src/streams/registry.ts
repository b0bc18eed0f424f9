import alarms from '../../schemas/alarms.json' with { type: 'json' };
import assets from '../../schemas/assets.json' with { type: 'json' };
import type { ListClient } from '../api/client.ts';
import type { Config, StreamConfig } from '../config/config.ts';
import { cursorStream } from './cursor-stream.ts';
import type { CursorConfig, CursorList } from './cursor-stream.ts';
import { offsetStream } from './offset-stream.ts';
import type { OffsetConfig, OffsetList } from './offset-stream.ts';
import type { SourceStream } from './stream.ts';

/** Keys of the config under which a stream of this kind is configured. */
type KeyOf<Kind> = {
  [K in keyof Config]-?: NonNullable<Config[K]> extends StreamConfig & Kind ? K : never;
}[keyof Config];

/** All that a stream has of its own: its name in the catalog is its key in the config, its path stands behind `base_url`. */
type StreamRow =
  | (OffsetList & { readonly paging: 'offset'; readonly name: KeyOf<OffsetConfig>; readonly path: string })
  | (CursorList & { readonly paging: 'cursor'; readonly name: KeyOf<CursorConfig>; readonly path: string });

/** The streams of the source, in the order of the catalog. */
const STREAMS: readonly StreamRow[] = [
  { name: 'assets', path: '/v1/assets', paging: 'offset', key: 'assetId', schema: assets },
  { name: 'alarms', path: '/v1/alarms', paging: 'cursor', created: 'createdDate', schema: alarms },
];

/** The streams of a config, in the order of the catalog, each with its own client. */
export function configuredStreams(
  config: Config,
  clientOf: (row: Pick<StreamRow, 'name' | 'path'>, own: StreamConfig) => ListClient,
): readonly SourceStream[] {
  return STREAMS.flatMap((row) => {
    if (row.paging === 'offset') {
      const own = config[row.name];
      return own === undefined ? [] : [offsetStream(row, own, config.concurrency, clientOf(row, own))];
    }
    const own = config[row.name];
    return own === undefined ? [] : [cursorStream(row, own, clientOf(row, own))];
  });
}
