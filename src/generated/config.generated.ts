// Generated from spec.json by `npm run generate`. Do not edit.

/**
 * How access tokens are requested. The service issues only a few tokens per hour or day; the connector keeps each one and uses it until shortly before it ends.
 */
export type TokenConfig = GeneralToken | ScopedToken | ModuleToken;
/**
 * One list of the service. Its API contract names one of the two kinds of paging.
 */
export type ListConfig = OffsetListConfig | CursorListConfig;

export interface ConnectorConfig {
  /**
   * Full address of the token endpoint: where your client ID and client secret are exchanged for an access token. You get it together with your credentials.
   */
  auth_url: string;
  /**
   * The identifier of your API credential, as your organization handed it out.
   */
  client_id: string;
  /**
   * The secret that belongs to the client ID. It is sent to the token address only.
   */
  client_secret: string;
  token: TokenConfig;
  assets?: AssetsConfig;
  alarms?: AlarmsConfig;
  /**
   * Any other list of the service, one entry each. It becomes a stream with the guarantees of assets and alarms.
   */
  lists: ListConfig[];
  /**
   * How many pages of a list are requested at the same time; lists that are read by cursors have parallel_chains instead. The connector uses fewer while the server asks it to slow down.
   */
  concurrency: number;
  /**
   * Ceiling for all requests of one run, repeated ones included, all streams together. Leave it empty for no ceiling.
   */
  max_requests_per_minute?: number;
  /**
   * How many rows of each stream are looked at to find its fields and their types when the schema is discovered: half of them the newest, half the oldest. 0: only the fields of the schemas as shipped.
   */
  sample_rows: number;
  /**
   * Permits http: addresses of other machines. Your secret and all data then travel unencrypted, so use it in a closed test network only.
   */
  allow_http: boolean;
  /**
   * Written by the connector itself: access tokens that later runs can still use. An empty text asks the connector to keep it up to date.
   */
  token_cache?: string;
}
/**
 * One token for every module that your credential may use. Valid for 24 hours, at most 15 per day.
 */
export interface GeneralToken {
  kind: 'general';
}
/**
 * Like the general token, limited to the modules listed. Valid for 24 hours, at most 15 per day.
 */
export interface ScopedToken {
  kind: 'scoped';
  /**
   * Audience codes of the modules that the token shall be limited to. List the module of every stream you configure.
   *
   * @minItems 1
   */
  scopes: string[];
}
/**
 * A separate token for each stream, for the audience set in that stream. Valid for 1 hour, at most 3 per hour and audience.
 */
export interface ModuleToken {
  kind: 'module';
}
/**
 * The list of your vehicles and trailers. Leave this out if you do not want the assets stream; at least one stream is needed.
 */
export interface AssetsConfig {
  /**
   * Base address of the assets API: everything that stands before /v1/assets. A slash at the end makes no difference.
   */
  base_url: string;
  /**
   * Audience code of the assets module. It is used only with one token per module.
   */
  audience: string;
  /**
   * How many rows to ask for at once. If the server grants fewer, or refuses so many, smaller pages are read.
   */
  page_size: number;
  /**
   * If fewer rows are found than the service states, the stream fails, so that a short list never replaces a full table. Choose a warning only if that total counts something else.
   */
  missing_rows: 'fail' | 'warn';
  /**
   * A read that found fewer rows fails. It is the only protection if the service states no total.
   */
  min_rows: number;
}
/**
 * The alarms of your trailers. Leave this out if you do not want the alarms stream; at least one stream is needed.
 */
export interface AlarmsConfig {
  /**
   * Base address of the alarms API: everything that stands before /v1/alarms. A slash at the end makes no difference.
   */
  base_url: string;
  /**
   * The first read brings rows created at this time or later. Leave it empty to read everything that the service still has.
   */
  start_date?: string;
  /**
   * Rows created after this time are left out. Leave it empty to read up to now.
   */
  end_date?: string;
  /**
   * Audience code of the alarms module. It is needed with one token per module, and not used otherwise.
   */
  audience?: string;
  /**
   * Name of the field of an alarm that holds the time at which it was created. New alarms are found by it.
   */
  created_field: string;
  /**
   * Name of the field that identifies an alarm. If you set it, it becomes the primary key of the stream, so that a destination can remove repeated rows.
   */
  id_field?: string;
  /**
   * How many rows to ask for at once. Leave it empty to get the greatest page that the server gives.
   */
  page_size?: number;
  /**
   * How far behind the present an incremental read looks again for rows that the service made visible late. Rows that were already delivered are not repeated.
   */
  lookback_seconds: number;
  /**
   * How many time ranges of a long first read are fetched at the same time. More than 1 is faster, but relies on rows being listed by created time, oldest first. In any other order rows may be missed.
   */
  parallel_chains: number;
}
/**
 * For lists whose API contract names offset-based pagination: limit and offset.
 */
export interface OffsetListConfig {
  paging: 'offset';
  /**
   * Name of the stream and of its table in the warehouse: lower-case letters, digits and underscores. Used once.
   */
  name: string;
  /**
   * Base address of the API: everything that stands before the path.
   */
  base_url: string;
  /**
   * Path behind the base address. It begins with a slash and has no query.
   */
  path: string;
  /**
   * Name of the field that identifies a row. It becomes the primary key of the stream.
   */
  id_field: string;
  /**
   * Audience code of the module of the list. It is needed with one token per module, and not used otherwise.
   */
  audience?: string;
  /**
   * How many rows to ask for at once. If the server grants fewer, or refuses so many, smaller pages are read.
   */
  page_size: number;
  /**
   * If fewer rows are found than the service states, the stream fails, so that a short list never replaces a full table. Choose a warning only if that total counts something else.
   */
  missing_rows: 'fail' | 'warn';
  /**
   * A read that found fewer rows fails. It is the only protection if the service states no total.
   */
  min_rows: number;
}
/**
 * For lists whose API contract names cursor-based pagination: after and createdSince.
 */
export interface CursorListConfig {
  paging: 'cursor';
  /**
   * Name of the stream and of its table in the warehouse: lower-case letters, digits and underscores. Used once.
   */
  name: string;
  /**
   * Base address of the API: everything that stands before the path.
   */
  base_url: string;
  /**
   * Path behind the base address. It begins with a slash and has no query.
   */
  path: string;
  /**
   * Name of the field that holds the time at which a row was created. New rows are found by it.
   */
  created_field: string;
  /**
   * Name of the field that identifies a row. If you set it, it becomes the primary key of the stream, so that a destination can remove repeated rows.
   */
  id_field?: string;
  /**
   * The first read brings rows created at this time or later. Leave it empty to read everything that the service still has.
   */
  start_date?: string;
  /**
   * Rows created after this time are left out. Leave it empty to read up to now.
   */
  end_date?: string;
  /**
   * Audience code of the module of the list. It is needed with one token per module, and not used otherwise.
   */
  audience?: string;
  /**
   * How many rows to ask for at once. Leave it empty to get the greatest page that the server gives.
   */
  page_size?: number;
  /**
   * How far behind the present an incremental read looks again for rows that the service made visible late. Rows that were already delivered are not repeated.
   */
  lookback_seconds: number;
  /**
   * How many time ranges of a long first read are fetched at the same time. More than 1 is faster, but relies on rows being listed by created time, oldest first. In any other order rows may be missed.
   */
  parallel_chains: number;
}
