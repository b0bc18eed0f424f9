import type { FastifySchemaValidationError } from 'fastify/types/schema.js';

/** Says what is wrong with a control request, and names the member. */
export function describeProblem(errors: readonly FastifySchemaValidationError[], where: string): Error {
  const lines = errors.map(({ instancePath, message, params }) => {
    const unknown = params['additionalProperty'];
    const path = `${where}${instancePath}`;
    return typeof unknown === 'string' ? `${path}: unknown member "${unknown}"` : `${path}: ${message}`;
  });
  return new Error(lines.join('; '));
}
