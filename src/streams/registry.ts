import alarms from '../../schemas/alarms.json' with { type: 'json' };
import assets from '../../schemas/assets.json' with { type: 'json' };
import type { ListClient } from '../api/client.ts';
import { listsIn, type Config, type ListSettings } from '../config/config.ts';
import type { ListConfig } from '../generated/config.generated.ts';
import { PAGE } from '../limits.ts';
import { cursorStream } from './cursor-stream.ts';
import { offsetStream } from './offset-stream.ts';
import type { ListIdentity, SourceStream } from './stream.ts';

/** A list with its settings, from the config or the table below. */
export type ConfiguredList = ListIdentity & ListSettings & ListConfig;

/** Lists with a config key of the same name, which has their other settings. */
const PREDEFINED = [
  { name: 'assets', paging: 'offset', path: '/v1/assets', id_field: 'assetId', schema: assets },
  { name: 'alarms', paging: 'cursor', path: '/v1/alarms', schema: alarms },
];
/** The schema of a list that is known only from the config. */
const ANY_ROW = { $schema: assets.$schema, additionalProperties: true, properties: {} };

/** Returns the streams of a config, in the order of the catalog, each with its own client. */
export function configuredStreams(
  config: Config,
  clientOf: (list: ConfiguredList) => ListClient,
): readonly SourceStream[] {
  const lists = listsIn(config).map(({ name, place, settings }) => {
    const predefined = PREDEFINED.find((list) => list.name === name);
    return { ...settings, schema: ANY_ROW, ...predefined, place } as ConfiguredList;
  });
  const { length } = lists.filter(({ paging }) => paging === 'offset');
  const prefetch = { concurrency: config.concurrency, maxAheadBytes: PAGE.maxAheadBytes / length };
  return lists.map((list) => {
    const client = clientOf(list);
    if (list.paging === 'offset') return offsetStream(list, list, prefetch, client);
    return cursorStream(list, list, client);
  });
}
