/** A configured catalog with these streams and sync modes. */
export function catalogOf(selection: Readonly<Record<string, 'full_refresh' | 'incremental'>>): object {
  return {
    streams: Object.entries(selection).map(([name, mode]) => ({
      stream: { name, json_schema: {}, supported_sync_modes: [mode] },
      sync_mode: mode,
      destination_sync_mode: 'append',
    })),
  };
}
