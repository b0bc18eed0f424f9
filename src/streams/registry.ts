import alarms from '../../schemas/alarms.json' with { type: 'json' };
import assets from '../../schemas/assets.json' with { type: 'json' };
import type { ListClient } from '../api/client.ts';
import type { Config } from '../config/config.ts';
import { cursorStream } from './cursor-stream.ts';
import type { CursorConfig, CursorList } from './cursor-stream.ts';
import { offsetStream } from './offset-stream.ts';
import type { OffsetConfig, OffsetList } from './offset-stream.ts';
import type { SourceStream } from './stream.ts';

/** What the config of every stream says of where its list is and what opens it. */
export interface Located {
  readonly base_url: string;
  readonly audience?: string;
}

/** A stream of this kind: its name in the catalog, its key in the config too, and its path behind `base_url`. */
interface Place<Kind> {
  readonly name: {
    [K in keyof Config]-?: NonNullable<Config[K]> extends Located & Kind ? K : never;
  }[keyof Config];
  readonly path: string;
}

/** All that a stream has of its own. */
type StreamRow =
  | (OffsetList & Place<OffsetConfig> & { readonly paging: 'offset' })
  | (CursorList & Place<CursorConfig> & { readonly paging: 'cursor' });

/** The streams of the source, in the order of the catalog. */
const STREAMS: readonly StreamRow[] = [
  { name: 'assets', path: '/v1/assets', paging: 'offset', key: 'assetId', schema: assets },
  { name: 'alarms', path: '/v1/alarms', paging: 'cursor', created: 'createdDate', schema: alarms },
];

/** The streams of a config, in the order of the catalog, each with its own client. */
export function configuredStreams(
  config: Config,
  clientOf: (row: Pick<StreamRow, 'name' | 'path'>, own: Located) => ListClient,
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
