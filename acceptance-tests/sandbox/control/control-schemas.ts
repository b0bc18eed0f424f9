import { knobPatchSchema } from '../knobs/knob-schema.ts';

/** The JSON Schemas of the control endpoints: requests are checked against them, and /docs shows them. */
const count = { type: 'integer', minimum: 1, maximum: 10_000_000 } as const;
const mark = { type: 'string', pattern: '^\\d{1,10}$', description: 'a mark' } as const;

const place = {
  anyOf: [{ enum: ['head', 'tail', 'random'] }, { type: 'integer', minimum: 0 }],
  description: 'position 0 is the head, where the newest row stands; default head',
} as const;

const params = {
  type: 'object',
  properties: { id: { type: 'string', description: 'id of a world' } },
} as const;

function body(properties: object, required: readonly string[]): object {
  return { type: 'object', additionalProperties: false, required, properties };
}

/** POST /worlds */
export const worldSchema = {
  tags: ['worlds'],
  summary: 'A new world: its own rows, knobs, tokens, clock and log',
  body: body(
    {
      id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
      seed: { type: 'integer', minimum: 0, maximum: 4_294_967_295, description: 'default 1' },
      assets: { type: 'integer', minimum: 0, maximum: 10_000_000, description: 'default 100' },
      alarms: { type: 'integer', minimum: 0, maximum: 20_000_000, description: 'default 100' },
      knobs: knobPatchSchema,
      clientId: { type: 'string', minLength: 1, description: 'default sandbox-client' },
      clientSecret: { type: 'string', minLength: 1, description: 'default sandbox-secret' },
    },
    [],
  ),
};

/** DELETE /worlds/{id} */
export const removalSchema = { tags: ['worlds'], summary: 'Delete a world', params };

/** GET and PATCH /worlds/{id}/knobs */
export const knobsSchema = { tags: ['knobs'], summary: 'All knobs', params };
export const turnSchema = {
  tags: ['knobs'],
  summary: 'Change some knobs while the world runs; gives all of them',
  params,
  body: knobPatchSchema,
};

/** POST /worlds/{id}/assets/insert and …/delete */
export const insertSchema = {
  tags: ['rows'],
  summary: 'Insert assets; gives their ids',
  params,
  body: body({ count, at: place }, ['count']),
};
export const deleteSchema = {
  tags: ['rows'],
  summary: 'Delete assets, some at a place (default: one at the head) or those with the ids; gives the ids',
  params,
  body: {
    anyOf: [
      body({ count, at: place }, []),
      body({ ids: { type: 'array', items: { type: 'string' } } }, ['ids']),
    ],
  },
};

/** POST /worlds/{id}/alarms/arrive */
export const arriveSchema = {
  tags: ['rows'],
  summary: 'Let alarms arrive; with an earlier createdAt they come in late. Gives their ids',
  params,
  body: body(
    {
      count,
      createdAt: {
        type: 'string',
        description: 'created time of the first one; without it the last is created now',
      },
      spacingMs: { type: 'number', minimum: 0, description: 'between two of them; default 1' },
    },
    ['count'],
  ),
};

/** POST /worlds/{id}/clock */
export const clockSchema = {
  tags: ['clock and marks'],
  summary: "Move the world's clock; gives its time",
  params,
  body: body({ advanceSeconds: { type: 'number' } }, ['advanceSeconds']),
};

/** POST /worlds/{id}/mark */
export const markSchema = {
  tags: ['clock and marks'],
  summary: "The present place in the world's sequence of changes",
  params,
};

/** GET /worlds/{id}/truth */
export const truthSchema = {
  tags: ['truth'],
  summary: 'Counts and digests of the rows that exist, and of those that existed throughout since a mark',
  description:
    'digest: the XOR, over all rows, of the first 8 bytes of the SHA-256 of the row text (UTF-8), as 16 hex digits. ' +
    'The text is the one on the page, with newlines between tokens as blanks and raw U+0085, U+2028, U+2029 as escapes.',
  params,
  querystring: body({ since: mark }, []),
};

/** GET /worlds/{id}/truth/assets and …/alarms */
export const truthRowsSchema = {
  tags: ['truth'],
  summary:
    'Row texts, one a line: those that exist; since a mark; born after it; or alive at any time from it on',
  params,
  querystring: { ...body({ since: mark, after: mark, lived: mark }, []), maxProperties: 1 },
};

/** GET and DELETE /worlds/{id}/requests */
export const requestsSchema = {
  tags: ['requests'],
  summary: 'The request log: sums per endpoint, tokens, and the last entries (default 1000)',
  params,
  querystring: body({ last: { type: 'string', pattern: '^\\d{1,5}$' } }, []),
};
export const clearSchema = { tags: ['requests'], summary: 'Clear the request log', params };
