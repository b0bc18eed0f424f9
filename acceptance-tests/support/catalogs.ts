type SyncModes = Readonly<Record<string, 'full_refresh' | 'incremental'>>;

/** A configured catalog with these streams and sync modes, and one schema for all. */
export function catalogOf(selection: SyncModes, schema: object = {}): object {
  return {
    streams: Object.entries(selection).map(([name, mode]) => ({
      stream: { name, json_schema: schema, supported_sync_modes: [mode] },
      sync_mode: mode,
      destination_sync_mode: 'append',
    })),
  };
}
