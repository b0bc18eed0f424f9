import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { WorldOf } from '../control/world-of.ts';
import { catalogue } from '../faults/catalogue.ts';
import { faultNames } from '../faults/fault-plan.ts';
import type { Worlds } from '../worlds/worlds.ts';
import { pageView } from './page-view.ts';

/** What the page may load, by name: nothing else in its folder is served. */
const types = new Map([
  ['page.css', 'text/css; charset=utf-8'],
  ...[
    'assets-map.js',
    'coverage-bars.js',
    'dom.js',
    'fault-switches.js',
    'main.js',
    'newest-rows.js',
    'request-log.js',
    'sandbox.js',
    'timeline.js',
    'token-limits.js',
    'world-controls.js',
  ].map((name) => [name, 'text/javascript; charset=utf-8'] as const),
]);

/** The page loads what the sandbox serves and nothing else, runs no script in its text, and goes in no frame. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

const query = {
  type: 'object',
  additionalProperties: false,
  properties: {
    since: { type: 'string', pattern: '^\\d{1,10}$' },
    requestsFrom: { type: 'string', pattern: '^\\d{1,10}$' },
  },
} as const;

/** Adds the page for people, one for each world, and the views that it asks for while it is open. */
export function addPageRoutes(app: FastifyInstance, worlds: Worlds, worldOf: WorldOf): void {
  const folder = join(import.meta.dirname, 'browser');
  const hidden = { schema: { hide: true } };

  app.get('/', hidden, async (_request, reply) => {
    const [first] = worlds.ids();
    return reply.redirect(first === undefined ? '/docs' : `/worlds/${first}/page`);
  });

  app.get('/worlds/:id/page', hidden, async (request, reply) => {
    worldOf(request);
    const html = await readFile(join(folder, 'page.html'));
    return reply.headers(headers).type('text/html; charset=utf-8').send(html);
  });

  app.get('/worlds/:id/view', { schema: { hide: true, querystring: query } }, (request) => {
    const { since = '0', requestsFrom = '0' } = request.query as { since?: string; requestsFrom?: string };
    const wanted = { since: Number(since), requestsFrom: Number(requestsFrom) };
    return pageView(worldOf(request), worlds.ids(), wanted);
  });

  app.get('/page/faults', hidden, () =>
    // Only a reader with the config of the fault report comes through the door that refuses.
    faultNames
      .filter((name) => name !== 'connectionRefused')
      .map((name) => ({ name, words: catalogue[name].words, endpoints: catalogue[name].endpoints })),
  );

  app.get('/page/:file', hidden, async (request, reply) => {
    const { file } = request.params as { file: string };
    const type = types.get(file);
    if (type === undefined) return reply.code(404).send({ message: `no file "${file}"` });
    return reply
      .headers(headers)
      .type(type)
      .send(await readFile(join(folder, file)));
  });
}
