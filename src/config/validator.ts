import type { ErrorObject, ValidateFunction } from 'ajv';

/** Faults that a person reads at once. */
const MOST_TOLD = 10;

/**
 * What is wrong in a document, for a person, with the path of each fault and never a value; null if it is valid. `validate`
 * was made from a schema ahead of time (see `generated/validators`), and fills in the schema's defaults.
 */
export function describeFaults(document: unknown, validate: ValidateFunction): string | null {
  if (validate(document)) return null;
  const errors = validate.errors ?? [];
  const patterned = errors.filter(({ keyword }) => keyword === 'pattern').map((error) => error.instancePath);
  const faults = errors.filter(({ keyword, instancePath }) => {
    // a `format` adds nothing where the `pattern` beside it, which is easier to read, fails as well
    if (keyword === 'format') return !patterned.includes(instancePath);
    return keyword !== 'if';
  });
  const told = faults.slice(0, MOST_TOLD).map((error) => `${pathOf(error)} ${expectation(error)}`);
  if (faults.length > MOST_TOLD) told.push(`and ${faults.length - MOST_TOLD} more`);
  return told.join('; ');
}

/** For example `lists[1].base_url` or `streams[0].sync_mode`. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const pointer = instancePath.split('/').slice(1);
  const steps = pointer.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing: unknown = params['missingProperty'];
  if (typeof missing === 'string') steps.push(missing);
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return path.replace(/^\./, '') || 'the document';
}

type Members = Readonly<Record<string, unknown>>;

const atLeast = ({ limit }: Members): string =>
  limit === 1 ? 'must not be empty' : `must have at least ${String(limit)}`;

/** What is expected, by the keyword that fails. */
const EXPECTATIONS: Readonly<Record<string, (params: Members, schema: Members) => string>> = {
  required: () => 'is missing',
  type: ({ type }) => {
    const types = [type].flat().join(' or ');
    return `must be ${/^[aeio]/.test(types) ? 'an' : 'a'} ${types}`;
  },
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  enum: ({ allowedValues }) => `must be one of ${JSON.stringify(allowedValues)}`,
  pattern: ({ pattern }, schema) => `must look like ${String(schema['pattern_descriptor'] ?? pattern)}`,
  format: ({ format }) => `must be a real ${String(format)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: atLeast,
  minItems: atLeast,
  uniqueItems: () => 'must not hold anything twice',
};

function expectation({ keyword, params, parentSchema = {}, message }: ErrorObject): string {
  const { oneOf } = parentSchema as { oneOf?: { properties?: Record<string, { const?: unknown }> }[] };
  if (oneOf === undefined)
    return EXPECTATIONS[keyword]?.(params, parentSchema) ?? message ?? `fails ${keyword}`;
  // the constants that tell the variants apart, such as {"kind":"general"}; JSON leaves out what is undefined
  const variants = oneOf.map(({ properties = {} }) => {
    const constants = Object.entries(properties).map(([name, inner]) => [name, inner.const]);
    return JSON.stringify(Object.fromEntries(constants));
  });
  return `must be one of: ${variants.join(', ')}`;
}
