import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import { scenarioIn, type Scenarios } from '../scenario.ts';
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
  const add = (path: string, type: string, content: (id: string) => Promise<string | Buffer>): void => {
    app.get(path, hidden, async ({ params }, reply) => {
      const body = await content((params as { id?: string }).id ?? '');
      return reply.headers(headers).type(`${type}; charset=utf-8`).send(body);
    });
  };
  app.get('/', hidden, (_request, reply) => reply.redirect(`/worlds/${[...scenarios.keys()][0]}/page`));
  add('/worlds/:id/page', 'text/html', async (id) => {
    scenarioIn(scenarios, id);
    return readFile(join(folder, 'page.html'));
  });
  add('/page/page.css', 'text/css', () => readFile(join(folder, 'page.css')));
  let script: Promise<string> | undefined;
  add('/page/page.js', 'text/javascript', () => (script ??= bundled()));

  const since = { type: 'string', pattern: '^\\d{1,10}$' } as const;
  const querystring = { type: 'object', additionalProperties: false, properties: { since } } as const;
  app.get('/worlds/:id/view', { schema: { hide: true, querystring } }, ({ params, query }) => {
    const scenario = scenarioIn(scenarios, (params as { id: string }).id);
    return pageView(scenario, [...scenarios.keys()], Number((query as { since?: string }).since ?? 0));
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
