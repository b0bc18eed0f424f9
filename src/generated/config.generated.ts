// Generated from spec.json by `npm run generate`. Do not edit.

/**
 * How access tokens are requested. The service issues only a few tokens per hour or day; the connector caches each token and uses it for the first nine tenths of its lifetime.
 */
export type TokenConfig = GeneralToken | ScopedToken | ModuleToken;
/**
 * One list of the service. The API's documentation specifies which of the two kinds of paging it uses.
 */
export type ListConfig = OffsetListConfig | CursorListConfig;

export interface ConnectorConfig {
  /**
   * Full URL of the token endpoint, which exchanges your client ID and client secret for an access token. You receive it together with your credentials.
   */
  auth_url: string;
  /**
   * The identifier of your API credential, as issued by the customer organization.
   */
  client_id: string;
  /**
   * The secret that belongs to the client ID. It is sent only to the token endpoint.
   */
  client_secret: string;
  token: TokenConfig;
  assets?: AssetsConfig;
  alarms?: AlarmsConfig;
  /**
   * Other lists of the service, one entry per list. Each becomes a stream with the same guarantees as assets and alarms.
   */
  lists: ListConfig[];
  /**
   * How many pages of a list are requested at the same time; lists read by cursor use parallel_chains instead. The connector requests fewer pages at a time while the server limits its requests.
   */
  concurrency: number;
  /**
   * Maximum number of requests per minute for one run, across all streams and including retries. Leave this empty for no limit.
   */
  max_requests_per_minute?: number;
  /**
   * How many rows of each stream are sampled to discover its fields and their types: half of them the newest, half the oldest. 0: only bundled and configured fields.
   */
  sample_rows: number;
  /**
   * Permits http: URLs for other machines. Your secret and all data are then sent unencrypted, so use this only in a closed test network.
   */
  allow_http: boolean;
  /**
   * Access tokens for later runs, written by the connector. Set it to an empty string to have the connector keep tokens in the config.
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
   * Audience codes of the modules that the token should be limited to. List the module of every stream you configure.
   *
   * @minItems 1
   */
  scopes: string[];
}
/**
 * A separate token for each audience that the streams set. Valid for 1 hour, at most 3 per hour and audience.
 */
export interface ModuleToken {
  kind: 'module';
}
/**
 * The list of your vehicles and trailers. Omit this if you do not want the assets stream. At least one stream is required.
 */
export interface AssetsConfig {
  /**
   * Base address of the assets API: the part before /v1/assets. A trailing slash is ignored.
   */
  base_url: string;
  /**
   * Audience code of the assets module. Used only with one token per module.
   */
  audience: string;
  /**
   * Number of rows to request per page. If the server returns fewer rows or refuses the request, or if larger pages fail, smaller ones are read.
   */
  page_size: number;
  /**
   * If fewer rows are found than the stated total, the stream fails, so that a short list never replaces a full table. Choose a warning only if the total counts something else.
   */
  missing_rows: 'fail' | 'warn';
  /**
   * A read that finds fewer rows fails. This is the only protection against incomplete reads if the service states no total.
   */
  min_rows: number;
}
/**
 * The alarms of your trailers. Omit this if you do not want the alarms stream. At least one stream is required.
 */
export interface AlarmsConfig {
  /**
   * Base address of the alarms API: the part before /v1/alarms. A trailing slash is ignored.
   */
  base_url: string;
  /**
   * The first read returns rows created at this time or later. Leave this empty to read everything that the service still has.
   */
  start_date?: string;
  /**
   * Rows created after this time are omitted. Once the list has proven to be in ascending order of created time, the read ends soon after this date, so rows listed out of order may be missed. Leave this empty to read up to the present.
   */
  end_date?: string;
  /**
   * Audience code of the alarms module. Required with one token per module, and ignored otherwise.
   */
  audience?: string;
  /**
   * Name of the field with the time at which an alarm was created. New alarms are found by it, so it should be the time that createdSince refers to; check names the field that fits. With another time, such as that of a device, every alarm that the API returns is emitted; but if it runs ahead, alarms may be missed.
   */
  created_field: string;
  /**
   * Name of the top-level field that identifies an alarm. If you set it, it becomes the primary key of the stream, so that a destination can keep the latest version of each row. Rows with the same text count as one, with or without it.
   */
  id_field?: string;
  /**
   * Number of rows to request per page. Leave this empty to use the server's maximum. If larger pages fail, smaller ones are read.
   */
  page_size?: number;
  /**
   * How far back an incremental read looks for rows that became visible late. Rows already emitted are not repeated, unless they have changed or more than 10,000 are within that time. Each read logs how late the latest new row was.
   */
  lookback_seconds: number;
  /**
   * How many time ranges of a long first read are fetched at the same time. More than 1 is faster, but relies on rows being listed by created time, oldest first. In any other order, rows may be missed.
   */
  parallel_chains: number;
}
/**
 * For lists with offset-based pagination (limit and offset), according to the API's documentation.
 */
export interface OffsetListConfig {
  paging: 'offset';
  /**
   * Name of the stream and of its table in the warehouse: lowercase letters, digits and underscores. Must be unique.
   */
  name: string;
  /**
   * Base address of the API: the part before the path.
   */
  base_url: string;
  /**
   * Path after the base address. It begins with a slash and has no query string.
   */
  path: string;
  /**
   * Name of the top-level field that identifies a row. It becomes the primary key of the stream. If it is wrong, check proposes fields.
   */
  id_field: string;
  /**
   * Audience code of the list's module. Required with one token per module, and ignored otherwise.
   */
  audience?: string;
  /**
   * Number of rows to request per page. If the server returns fewer rows or refuses the request, or if larger pages fail, smaller ones are read.
   */
  page_size: number;
  /**
   * If fewer rows are found than the stated total, the stream fails, so that a short list never replaces a full table. Choose a warning only if the total counts something else.
   */
  missing_rows: 'fail' | 'warn';
  /**
   * A read that finds fewer rows fails. This is the only protection against incomplete reads if the service states no total.
   */
  min_rows: number;
}
/**
 * For lists with cursor-based pagination (after and createdSince), according to the API's documentation.
 */
export interface CursorListConfig {
  paging: 'cursor';
  /**
   * Name of the stream and of its table in the warehouse: lowercase letters, digits and underscores. Must be unique.
   */
  name: string;
  /**
   * Base address of the API: the part before the path.
   */
  base_url: string;
  /**
   * Path after the base address. It begins with a slash and has no query string.
   */
  path: string;
  /**
   * Name of the field with the time at which a row was created. New rows are found by it, so it should be the time that createdSince refers to; check names the field that fits. With another time, such as that of a device, every row that the API returns is emitted; but if it runs ahead, rows may be missed.
   */
  created_field: string;
  /**
   * Name of the top-level field that identifies a row. If you set it, it becomes the primary key of the stream, so that a destination can keep the latest version of each row. Rows with the same text count as one, with or without it.
   */
  id_field?: string;
  /**
   * The first read returns rows created at this time or later. Leave this empty to read everything that the service still has.
   */
  start_date?: string;
  /**
   * Rows created after this time are omitted. Once the list has proven to be in ascending order of created time, the read ends soon after this date, so rows listed out of order may be missed. Leave this empty to read up to the present.
   */
  end_date?: string;
  /**
   * Audience code of the list's module. Required with one token per module, and ignored otherwise.
   */
  audience?: string;
  /**
   * Number of rows to request per page. Leave this empty to use the server's maximum. If larger pages fail, smaller ones are read.
   */
  page_size?: number;
  /**
   * How far back an incremental read looks for rows that became visible late. Rows already emitted are not repeated, unless they have changed or more than 10,000 are within that time. Each read logs how late the latest new row was.
   */
  lookback_seconds: number;
  /**
   * How many time ranges of a long first read are fetched at the same time. More than 1 is faster, but relies on rows being listed by created time, oldest first. In any other order, rows may be missed.
   */
  parallel_chains: number;
}
