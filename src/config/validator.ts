import type { ErrorObject, ValidateFunction } from 'ajv';

/** One thing that is wrong in a document. */
export interface Fault {
  /** Where, for example `assets.base_url` or `streams[0].sync_mode`; empty for the whole document. */
  readonly path: string;
  /** What is expected there. */
  readonly expected: string;
}

type Validator = (document: unknown) => readonly Fault[];

/**
 * A check of documents by a validator that was made from a draft-07 schema ahead of time (see `generated/validators`);
 * defaults of the schema are filled in. The result lists what is wrong, never a value of the document; an empty list
 * means that the document is valid.
 */
export function createValidator(schema: object, validate: ValidateFunction): Validator {
  return (document) => {
    if (validate(document)) return [];
    return faults((validate.errors ?? []).map((error) => completed(error, schema, document)));
  };
}

/** With what ajv's option `verbose` adds to an error: generated code that writes it out is half as long again, and slower to load. */
function completed(error: ErrorObject, schema: object, document: unknown): ErrorObject {
  const path = stepsOf(decodeURIComponent(error.schemaPath));
  return {
    ...error,
    schema: partAt(schema, path),
    parentSchema: partAt(schema, path.slice(0, -1)) as object,
    data: partAt(document, stepsOf(error.instancePath)),
  };
}

function partAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, step) => (part as Readonly<Record<string, unknown>> | undefined)?.[step],
    document,
  );
}

/** The steps of a JSON pointer, with or without a `#` in front. */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Faults that a person reads at once. */
const MOST_TOLD = 10;

/** All faults as one text for a person; of very many the first ten. */
export function describeFaults(found: readonly Fault[]): string {
  const more = found.length > MOST_TOLD ? [`and ${found.length - MOST_TOLD} more`] : [];
  return [...found.slice(0, MOST_TOLD).map(describeFault), ...more].join('; ');
}

function describeFault({ path, expected }: Fault): string {
  return `${path === '' ? 'the document' : path} ${expected}`;
}

function faults(found: readonly ErrorObject[]): Fault[] {
  const errors = found.filter(({ keyword }) => keyword !== 'if');
  const choices = errors.filter(isChoice);
  const all = errors
    .filter((error) => !choices.some((choice) => isBesideThePoint(error, choice)))
    .filter((error) => !isSaidByPattern(error, errors))
    .map((error) => ({ path: pathOf(error), expected: expectation(error) }));
  return [...new Map(all.map((fault) => [describeFault(fault), fault])).values()];
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'oneOf' || keyword === 'anyOf';
}

/**
 * Under a choice ajv lists the faults of every variant. Where the document names one variant by its constants, only
 * that one's faults help; where it names none, only the list of what it may be does.
 */
function isBesideThePoint(error: ErrorObject, choice: ErrorObject): boolean {
  const named = variantsOf(choice).findIndex((variant) => names(choice.data, variant));
  if (error === choice) return named !== -1;
  if (error.schemaPath.startsWith(`${choice.schemaPath}/`))
    return named === -1 || !error.schemaPath.startsWith(`${choice.schemaPath}/${named}/`);
  return named === -1 && error.keyword === 'type' && error.instancePath === choice.instancePath;
}

/** A `format` adds nothing where the `pattern` beside it, which is easier to read, fails as well. */
function isSaidByPattern(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  return (
    error.keyword === 'format' &&
    errors.some(({ keyword, instancePath }) => keyword === 'pattern' && instancePath === error.instancePath)
  );
}

function pathOf(error: ErrorObject): string {
  const steps = stepsOf(error.instancePath);
  const missing: unknown = error.params['missingProperty'];
  if (typeof missing === 'string') steps.push(missing);
  return steps.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  );
}

function expectation(error: ErrorObject): string {
  const params: Record<string, unknown> = error.params;
  const parent = error.parentSchema ?? {};
  switch (error.keyword) {
    case 'required':
      return 'is missing';
    case 'type':
      return `must be ${withArticle([params['type']].flat().join(' or '))}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'pattern':
      return `must look like ${String(parent['pattern_descriptor'] ?? params['pattern'])}`;
    case 'format':
      return `must be a real ${String(params['format'])}`;
    case 'minimum':
      return `must be at least ${String(params['limit'])}`;
    case 'maximum':
      return `must be at most ${String(params['limit'])}`;
    case 'minLength':
    case 'minItems':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${String(params['limit'])}`;
    case 'uniqueItems':
      return 'must not hold anything twice';
    case 'oneOf':
    case 'anyOf':
      return `must be one of: ${variantsOf(error)
        .map((variant) => JSON.stringify(constantsOf(variant)))
        .join(', ')}`;
    default:
      return error.message ?? `fails ${error.keyword}`;
  }
}

function withArticle(type: string): string {
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}

interface Variant {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
}

function variantsOf(choice: ErrorObject): readonly Variant[] {
  return Array.isArray(choice.schema) ? (choice.schema as readonly Variant[]) : [];
}

/** The constants that tell a variant from the others, for example `{"kind":"general"}`. */
function constantsOf({ properties }: Variant): Readonly<Record<string, unknown>> {
  const constants = Object.entries(properties ?? {}).filter(([, { const: value }]) => value !== undefined);
  return Object.fromEntries(constants.map(([name, { const: value }]) => [name, value]));
}

function names(document: unknown, variant: Variant): boolean {
  const constants = Object.entries(constantsOf(variant));
  return (
    typeof document === 'object' &&
    document !== null &&
    constants.length > 0 &&
    constants.every(([name, value]) => (document as Record<string, unknown>)[name] === value)
  );
}
