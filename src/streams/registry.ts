import alarms from '../../schemas/alarms.json' with { type: 'json' };
import assets from '../../schemas/assets.json' with { type: 'json' };
import type { ListClient } from '../api/client.ts';
import { listsIn } from '../config/config.ts';
import type { Config, ListSettings } from '../config/config.ts';
import type { ListConfig } from '../generated/config.generated.ts';
import { PAGE } from '../limits.ts';
import { cursorStream } from './cursor-stream.ts';
import { offsetStream } from './offset-stream.ts';
import type { ListIdentity, SourceStream } from './stream.ts';

/** A list with its settings from the config or from the table below. */
export type ConfiguredList = ListIdentity & ListSettings & ListConfig;

/** Lists that the config does not describe in full: its key of the same name has the other settings. */
const PREDEFINED = [
  { name: 'assets', paging: 'offset', path: '/v1/assets', id_field: 'assetId', schema: assets },
  { name: 'alarms', paging: 'cursor', path: '/v1/alarms', schema: alarms },
];
/** The schema of a list of which only the config is known. */
const ANY_ROW = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  additionalProperties: true,
  properties: {},
};

/** Returns the streams of a config, in the order of the catalog, each with its own client. */
export function configuredStreams(
  config: Config,
  clientOf: (list: ConfiguredList) => ListClient,
): readonly SourceStream[] {
  const lists = listsIn(config).map(({ name, place, settings }) => {
    const own = PREDEFINED.find((one) => one.name === name);
    return { ...settings, schema: ANY_ROW, ...own, place } as ConfiguredList;
  });
  const { length } = lists.filter(({ paging }) => paging === 'offset');
  const bounds = { concurrency: config.concurrency, maxAheadBytes: PAGE.maxAheadBytes / length };
  return lists.map((list) => {
    const client = clientOf(list);
    if (list.paging === 'offset') return offsetStream(list, list, bounds, client);
    return cursorStream(list, list, client);
  });
}
