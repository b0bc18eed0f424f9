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
interface Located {
  readonly base_url: string;
  readonly audience?: string;
}

/** Keys of the config under which a stream of this kind is configured. */
type KeyOf<Kind> = {
  [K in keyof Config]-?: NonNullable<Config[K]> extends Located & Kind ? K : never;
}[keyof Config];

/** A stream: its name in the catalog, which is its key in the config too, and all else that it has of its own. */
type StreamRow =
  | (OffsetList & { readonly paging: 'offset'; readonly name: KeyOf<OffsetConfig>; readonly path: string })
  | (CursorList & { readonly paging: 'cursor'; readonly name: KeyOf<CursorConfig>; readonly path: string });

/** The streams of the source, in the order of the catalog. */
const STREAMS: readonly StreamRow[] = [
  { name: 'assets', path: '/v1/assets', paging: 'offset', key: 'assetId', schema: assets },
  { name: 'alarms', path: '/v1/alarms', paging: 'cursor', created: 'createdDate', schema: alarms },
];

/** A stream that a config has. */
export interface ConfiguredStream {
  readonly name: string;
  readonly baseUrl: string;
  /** What stands behind `baseUrl` in the address of its list. */
  readonly path: string;
  readonly audience: string | undefined;
  readonly open: (client: ListClient) => SourceStream;
}

/** The streams of a config, in the order of the catalog. */
export function configuredStreams(config: Config): readonly ConfiguredStream[] {
  return STREAMS.flatMap((row): ConfiguredStream[] => {
    if (row.paging === 'offset') {
      const own = config[row.name];
      return own === undefined
        ? []
        : [configured(row, own, (client) => offsetStream(row, own, config.concurrency, client))];
    }
    const own = config[row.name];
    return own === undefined ? [] : [configured(row, own, (client) => cursorStream(row, own, client))];
  });
}

function configured(
  { name, path }: StreamRow,
  { base_url: baseUrl, audience }: Located,
  open: ConfiguredStream['open'],
): ConfiguredStream {
  return { name, path, baseUrl, audience, open };
}
