import type { ErrorObject, ValidateFunction } from 'ajv';

/** One thing that is wrong in a document. */
export interface Fault {
  /** Where, for example `assets.base_url` or `streams[0].sync_mode`; empty for the whole document. */
  readonly path: string;
  /** What is expected there. */
  readonly expected: string;
}

/**
 * What is wrong in a document, never a value of it; empty if it is valid. `validate` was made from a schema ahead of time
 * (see `generated/validators`), and fills in the schema's defaults.
 */
export function faultsIn(document: unknown, validate: ValidateFunction): readonly Fault[] {
  if (validate(document)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  return errors
    .filter((error) => !isSaidByPattern(error, errors))
    .map((error) => ({ path: pathOf(error), expected: expectation(error) }));
}

/** Faults that a person reads at once. */
const MOST_TOLD = 10;

/** All faults as one text for a person; of very many the first ten. */
export function describeFaults(found: readonly Fault[]): string {
  const told = found
    .slice(0, MOST_TOLD)
    .map(({ path, expected }) => `${path === '' ? 'the document' : path} ${expected}`);
  return [...told, ...(found.length > MOST_TOLD ? [`and ${found.length - MOST_TOLD} more`] : [])].join('; ');
}

/** A `format` adds nothing where the `pattern` beside it, which is easier to read, fails as well. */
function isSaidByPattern(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  return (
    error.keyword === 'format' &&
    errors.some(({ keyword, instancePath }) => keyword === 'pattern' && instancePath === error.instancePath)
  );
}

function pathOf(error: ErrorObject): string {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing: unknown = error.params['missingProperty'];
  if (typeof missing === 'string') steps.push(missing);
  return steps.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  );
}

interface Variant {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
}

function expectation(error: ErrorObject): string {
  const params: Record<string, unknown> = error.params;
  const parent = error.parentSchema ?? {};
  const limit = String(params['limit']);
  if (parent['oneOf'] !== undefined) return `must be one of: ${choiceOf(parent['oneOf'] as Variant[])}`;
  switch (error.keyword) {
    case 'required':
      return 'is missing';
    case 'type': {
      const types = [params['type']].flat().join(' or ');
      return `must be ${/^[aeio]/.test(types) ? 'an' : 'a'} ${types}`;
    }
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'pattern':
      return `must look like ${String(parent['pattern_descriptor'] ?? params['pattern'])}`;
    case 'format':
      return `must be a real ${String(params['format'])}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
    case 'minItems':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${limit}`;
    case 'uniqueItems':
      return 'must not hold anything twice';
    default:
      return error.message ?? `fails ${error.keyword}`;
  }
}

/** The constants that tell the variants from one another, for example `{"kind":"general"}, {"kind":"module"}`. */
function choiceOf(variants: readonly Variant[]): string {
  return variants
    .map(({ properties = {} }) =>
      Object.entries(properties).flatMap(([name, { const: value }]) =>
        value === undefined ? [] : [[name, value]],
      ),
    )
    .map((constants) => JSON.stringify(Object.fromEntries(constants)))
    .join(', ');
}
