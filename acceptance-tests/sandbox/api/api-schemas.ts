/** The OpenAPI side of the API's own endpoints: for reading at /docs only, nothing is checked against it. */
const world = {
  type: 'object',
  properties: { world: { type: 'string', description: 'id of a world; `demo` is always there' } },
} as const;

const refused = {
  description: 'refused; status and body follow the knobs errorStatus and errorBody',
} as const;

const listHeaders = {
  type: 'object',
  properties: {
    authorization: { type: 'string', description: 'Bearer <ACCESS_TOKEN>' },
    accept: { type: 'string', description: 'application/json' },
  },
} as const;

function page(pagination: object, item: object): object {
  return {
    description: 'one page',
    type: 'object',
    properties: {
      items: { type: 'array', items: { type: 'object', properties: item, additionalProperties: true } },
      metadata: { type: 'object', properties: { pagination: { type: 'object', properties: pagination } } },
    },
  };
}

const integer = { type: 'integer' } as const;

/** POST …/auth/token */
export const tokenSchema = {
  tags: ['API: token'],
  summary: 'Issue an access token',
  params: world,
  body: {
    type: 'object',
    properties: {
      clientId: { type: 'string', default: 'sandbox-client' },
      clientSecret: { type: 'string', default: 'sandbox-secret' },
      audience: { type: 'string', description: 'AMAPI, UMAPI or API', default: 'API' },
      scopes: { type: 'array', items: { type: 'string' }, description: 'only with audience API' },
    },
  },
  response: {
    200: {
      description: 'the token (status 201 if the knob tokenSuccessStatus says so)',
      type: 'object',
      properties: {
        accessToken: { type: 'string' },
        expiresIn: integer,
        tokenType: { type: 'string' },
      },
    },
    '4xx': refused,
  },
};

/** GET …/v1/assets */
export const assetsSchema = {
  tags: ['API: lists'],
  summary: 'List assets, newest first, offset-based pagination',
  params: world,
  headers: listHeaders,
  querystring: { type: 'object', properties: { limit: integer, offset: integer } },
  response: {
    200: page(
      {
        offset: integer,
        limit: integer,
        previousOffset: integer,
        nextOffset: integer,
        currentPage: integer,
        pageCount: integer,
        totalCount: integer,
      },
      { assetId: { type: 'string', format: 'uuid' }, vin: { type: 'string' } },
    ),
    '4xx': refused,
  },
};

/** GET …/v1/alarms */
export const alarmsSchema = {
  tags: ['API: lists'],
  summary: 'List alarms, oldest first, cursor-based pagination',
  params: world,
  headers: listHeaders,
  querystring: {
    type: 'object',
    properties: {
      limit: integer,
      after: { type: 'string', description: 'the nextCursor of the page before' },
      createdSince: { type: 'string', description: 'lower bound on the created date-time' },
    },
  },
  response: {
    200: page(
      { nextCursor: { type: 'string', description: 'empty on the last page' } },
      { alarmId: { type: 'string', format: 'uuid' }, createdDate: { type: 'string' } },
    ),
    '4xx': refused,
  },
};
