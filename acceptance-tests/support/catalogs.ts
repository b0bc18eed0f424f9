/** A configured catalog that selects streams, each in a sync mode. */
export function catalogOf(selection: Readonly<Record<string, 'full_refresh' | 'incremental'>>): object {
  return {
    streams: Object.entries(selection).map(([name, mode]) => ({
      stream: { name, json_schema: {}, supported_sync_modes: [mode] },
      sync_mode: mode,
      destination_sync_mode: 'append',
    })),
  };
}
