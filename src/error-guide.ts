/** How a platform treats a failure (protocol: TRACE ERROR `failure_type`): only `config_error` is never retried. */
export type FailureType = 'config_error' | 'transient_error' | 'system_error';

/** What an error means to a person who meets it. */
export interface ErrorEntry {
  readonly failureType: FailureType;
  readonly happened: string;
  /** What to do next. */
  readonly cure: string;
}

/** Every error that has a name of its own; docs/errors.md is made from it. */
export const ERROR_GUIDE = {
  USAGE: {
    failureType: 'config_error',
    happened: 'the command line is not understood',
    cure: 'see `--help`; the exit code is 2',
  },
  CONFIG_INVALID: {
    failureType: 'config_error',
    happened: 'the config cannot be read, or something in it is missing or wrong',
    cure: 'the message names the file, each path in it and what is expected there',
  },
  CATALOG_INVALID: {
    failureType: 'config_error',
    happened: 'the catalog cannot be read, or names what is not there',
    cure: 'the message names the file and the path; `discover` prints a catalog',
  },
  STATE_INVALID: {
    failureType: 'config_error',
    happened: 'the state is damaged, or of a form that is not known',
    cure: 'mend it, hand in the saved output of a read, or leave the stream out of it to read that from its start',
  },
  TOKEN_REFUSED: {
    failureType: 'config_error',
    happened: 'the token endpoint refuses the credentials (400, 401, 403), or is none (404, 405, a redirect)',
    cure: 'check `auth_url`, `client_id`, `client_secret` and `token`',
  },
  TOKEN_LIMIT: {
    failureType: 'transient_error',
    happened: 'no more tokens may be issued for now',
    cure: 'run again at the time that the message names; let runs share a token, see [tokens](tokens.md)',
  },
  TOKEN_UNREADABLE: {
    failureType: 'transient_error',
    happened: 'the answer of the token endpoint holds no token',
    cure: 'check `auth_url`: is that the token endpoint, or a page for people?',
  },
  UNAUTHORIZED: {
    failureType: 'config_error',
    happened: 'a list does not accept a fresh token (401)',
    cure: 'check `token` and the audience of the stream',
  },
  FORBIDDEN: {
    failureType: 'config_error',
    happened: 'a list refuses access (403)',
    cure:
      'a privileged user in the customer organization must grant the permission, or the product must be bought; with ' +
      '`scoped`, list the module; where the message speaks of a gateway or firewall, this machine must be let through first',
  },
  NOT_FOUND: {
    failureType: 'config_error',
    happened: 'there is no list at the address (404)',
    cure: 'mend `base_url`: it is what stands before `/v1/…`',
  },
  REDIRECTED: {
    failureType: 'config_error',
    happened: 'a list redirects elsewhere',
    cure: 'set `base_url` to the final address; redirects are never followed, since they could carry the token elsewhere',
  },
  REQUEST_REFUSED: {
    failureType: 'config_error',
    happened: 'a list refuses the request itself (400 and other 4xx)',
    cure: 'the message shows what was sent and the words of the server; check `page_size` and `start_date`',
  },
  FIELD_UNUSABLE: {
    failureType: 'config_error',
    happened: '`created_field` holds no times, or `id_field` does not tell alarms apart',
    cure: 'the message names the fields that could stand in',
  },
  PROXY: {
    failureType: 'config_error',
    happened: 'a proxy variable of the environment is no address of a proxy that can be used',
    cure: 'mend `HTTPS_PROXY` or `HTTP_PROXY`, such as `http://user:password@host:port`',
  },
  NO_WEBASSEMBLY: {
    failureType: 'config_error',
    happened:
      'Node.js cannot start WebAssembly, which reads the pages: the address space is limited (`ulimit -v`), or it runs with `--jitless`',
    cure: 'lift the limit, or set `NODE_OPTIONS=--disable-wasm-trap-handler`',
  },
  API_UNAVAILABLE: {
    failureType: 'transient_error',
    happened:
      'no usable answer in all attempts: 429, 408, 425, 5xx, network, time-out, or a page that is none',
    cure: 'try again later; the message tells the last answer',
  },
  LIST_UNSTABLE: {
    failureType: 'transient_error',
    happened: 'the assets list changes faster than it can be read',
    cure: 'try a quieter time or a larger `page_size`',
  },
  PAGES_UNUSABLE: {
    failureType: 'config_error',
    happened:
      'the assets list cannot be read by pages: `offset` is ignored, or rows without an `assetId` change between answers',
    cure: 'the message says which; check `base_url`, else whoever runs the API has to mend it',
  },
  CURSOR_LOOP: {
    failureType: 'transient_error',
    happened: 'the chain of alarm pages goes round in circles, or on and on without anything new',
    cure: 'the state stayed where it was; if it happens again, the API has to be mended',
  },
  ABORTED: {
    failureType: 'transient_error',
    happened: 'the run was told to stop (SIGTERM, SIGINT)',
    cure: 'go on with `--state` and the saved output',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;
