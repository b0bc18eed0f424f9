import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

const validators = new Map<object, ValidateFunction>();

/**
 * Returns a function that validates documents against a schema, and fills in its defaults. It is compiled at the first call, which takes
 * some milliseconds.
 */
export function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const ajv = new Ajv({
    allErrors: true,
    useDefaults: true,
    strict: false,
    discriminator: true,
    verbose: true,
    // a schema is compiled to validate one document: checking it against its own schema and optimizing the code take longer than the rest
    validateSchema: false,
    code: { optimize: false },
  });
  formats.default(ajv);
  const made = ajv.compile(discriminated(schema));
  validators.set(schema, made);
  return made;
}

interface Variant {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
}

/**
 * Returns a schema with a `discriminator` for each `oneOf`: the member that is a constant in the first variant. Then only faults of the
 * variant that it selects are reported, and only its defaults are filled in.
 */
function discriminated(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    const { oneOf = [] } = Object(value) as { oneOf?: readonly Variant[] };
    const members = Object.entries(oneOf[0]?.properties ?? {});
    const [tag] = members.find(([, member]) => member.const !== undefined) ?? [];
    return tag === undefined ? value : { ...(value as object), discriminator: { propertyName: tag } };
  }) as object;
}
