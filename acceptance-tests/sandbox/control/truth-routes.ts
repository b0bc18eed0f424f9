import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { GroundTruthSelection } from '../client-types.ts';
import { truthRowsSchema, truthSchema } from './control-schemas.ts';
import { lives, selected, truthOf, type Life } from './truth.ts';
import type { WorldOf } from './world-of.ts';

/** Adds the endpoints that tell what a world really holds. */
export function addTruthRoutes(app: FastifyInstance, worldOf: WorldOf): void {
  app.get('/worlds/:id/truth', { schema: truthSchema }, (request) => {
    const { since } = request.query as { since?: string };
    return truthOf(worldOf(request), Number(since ?? 0));
  });

  for (const kind of ['assets', 'alarms'] as const)
    app.get(`/worlds/:id/truth/${kind}`, { schema: truthRowsSchema }, async (request, reply) => {
      const marks = Object.entries(request.query as Record<string, string>);
      const selection: GroundTruthSelection = Object.fromEntries(
        marks.map(([name, mark]) => [name, Number(mark)]),
      );
      const stream = Readable.from(chunks(lives(worldOf(request), kind, selected(selection))));
      return reply.type('application/x-ndjson').send(stream);
    });
}

async function* chunks(slices: AsyncIterable<Life[]>): AsyncGenerator<string> {
  for await (const slice of slices) if (slice.length > 0) yield slice.map(({ text }) => `${text}\n`).join('');
}
