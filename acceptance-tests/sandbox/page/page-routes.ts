import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import type { Scenarios } from '../scenario.ts';
import { pageView } from './page-view.ts';

/** The page loads what the sandbox serves and nothing else, runs no script in its text, and goes in no frame. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const folder = join(import.meta.dirname, 'browser');

/** Adds the page for people, one for each scenario, and the view that it asks for while it is open. */
export function addPageRoutes(app: FastifyInstance, scenarios: Scenarios): void {
  const hidden = { schema: { hide: true } };
  let script: Promise<string> | undefined;

  app.get('/', hidden, async (_request, reply) => {
    const [first] = scenarios.ids();
    return reply.redirect(first === undefined ? '/docs' : `/worlds/${first}/page`);
  });
  app.get('/worlds/:id/page', hidden, async (request, reply) => {
    scenarios.get((request.params as { id: string }).id);
    const html = await readFile(join(folder, 'page.html'));
    return reply.headers(headers).type('text/html; charset=utf-8').send(html);
  });
  app.get('/page/page.css', hidden, async (_request, reply) => {
    const css = await readFile(join(folder, 'page.css'));
    return reply.headers(headers).type('text/css; charset=utf-8').send(css);
  });
  app.get('/page/page.js', hidden, async (_request, reply) => {
    script ??= bundled();
    return reply
      .headers(headers)
      .type('text/javascript; charset=utf-8')
      .send(await script);
  });

  const since = { type: 'string', pattern: '^\\d{1,10}$' } as const;
  const querystring = { type: 'object', additionalProperties: false, properties: { since } } as const;
  app.get('/worlds/:id/view', { schema: { hide: true, querystring } }, (request) => {
    const { since: from = '0' } = request.query as { since?: string };
    const { id } = request.params as { id: string };
    return pageView(scenarios.get(id), scenarios.ids(), Number(from));
  });
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'main.tsx')],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
