// Generated from src/config/configured-catalog.schema.json by `npm run generate`. Do not edit.

/**
 * The configured catalog of a platform (protocol: ConfiguredAirbyteCatalog), as far as the connector uses it. Other members are accepted.
 */
export interface ConfiguredCatalog {
  streams: ConfiguredStream[];
}
export interface ConfiguredStream {
  stream: CatalogStream;
  sync_mode: string;
  selected?: boolean | null;
  primary_key?: (unknown[] | string)[] | null;
}
export interface CatalogStream {
  name: string;
  namespace?: string | null;
  json_schema?: {} | null;
}
