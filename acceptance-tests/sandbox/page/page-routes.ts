import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import { scenarioIn, type ScenarioMap } from '../scenario.ts';
import { pageView } from './page-view.ts';

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const file = (name: string): string => join(import.meta.dirname, 'browser', name);

/** Adds the web page of each scenario, and the view that it polls. */
export function addPageRoutes(app: FastifyInstance, scenarios: ScenarioMap): void {
  const querystring = { type: 'object', properties: { since: { type: 'string', pattern: '^\\d{1,10}$' } } };
  type Content = (id: string, since: number) => unknown;
  const add = (path: string, type: string, content: Content): void => {
    app.get(path, { schema: { hide: true, querystring } }, async ({ params, query }, reply) => {
      const { id = '', since = '0' } = { ...(params as { id?: string }), ...(query as { since?: string }) };
      reply.headers(headers).type(`${type}; charset=utf-8`);
      return content(id, Number(since));
    });
  };
  app.get('/', { schema: { hide: true } }, (_, reply) =>
    reply.redirect(`/worlds/${[...scenarios.keys()][0]}/page`),
  );
  add('/worlds/:id/page', 'text/html', (id) => scenarioIn(scenarios, id) && readFile(file('page.html')));
  add('/worlds/:id/view', 'application/json', (id, since) =>
    pageView(scenarioIn(scenarios, id), [...scenarios.keys()], since),
  );
  add('/page/page.css', 'text/css', () => readFile(file('page.css')));
  let script: Promise<string> | undefined;
  add('/page/page.js', 'text/javascript', () => {
    script ??= bundle();
    return script;
  });
}

async function bundle(): Promise<string> {
  const entryPoints = [file('main.tsx')];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', write: false });
  return outputFiles[0]?.text ?? '';
}
