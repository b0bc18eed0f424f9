import type { SourceStream } from '../streams/stream.ts';

/** A stream of which only the batches of a read matter. */
export function streamOf(read: SourceStream['read']): SourceStream {
  return {
    name: 'assets',
    catalogEntry: {
      name: 'assets',
      json_schema: { type: 'object', properties: {} },
      supported_sync_modes: [],
    },
    assumedFields: [],
    probe: async () => 'ok',
    sample: async function* () {},
    read,
  };
}

/** All of it, where the catalog declares nothing. */
export const FULL = { stream: 'assets', syncMode: 'full_refresh', declared: null } as const;
