import { Ajv, type ValidateFunction } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import formats from 'ajv-formats';

function ajv(): Ajv {
  const made = new Ajv({
    allErrors: true,
    useDefaults: true,
    strict: false,
    // reports only errors of the variant that the constant selects
    discriminator: true,
    inlineRefs: false,
    verbose: true,
    code: { source: true, esm: true },
  });
  formats.default(made);
  return made;
}

const ANNOTATIONS = ['title', 'description', 'examples'];

interface Variant {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
}

/**
 * Returns the schema without annotations, and with a `discriminator` for each `oneOf`: the member that is a constant in the first
 * variant. Variants become definitions, and so functions, which V8 compiles only if a document selects them.
 */
function prepared(schema: object): object {
  const definitions: Record<string, Variant> = {};
  const definitionOf = (variant: Variant, tag: string) => {
    const name = `variant${Object.keys(definitions).length}`;
    definitions[name] = variant;
    return {
      $ref: `#/definitions/${name}`,
      required: [tag],
      properties: { [tag]: variant.properties?.[tag] },
    };
  };
  const text = JSON.stringify(schema);
  const { definitions: own, ...rest } = JSON.parse(text, (key, value: unknown) => {
    // a member of this name would have a schema, which is an object
    if (ANNOTATIONS.includes(key) && (typeof value === 'string' || Array.isArray(value))) return undefined;
    const { oneOf = [] } = Object(value) as { oneOf?: readonly Variant[] };
    const members = Object.entries(oneOf[0]?.properties ?? {});
    const [tag] = members.find(([, member]) => member.const !== undefined) ?? [];
    if (tag === undefined) return value;
    const variants = oneOf.map((variant) => definitionOf(variant, tag));
    return { ...(value as object), oneOf: variants, discriminator: { propertyName: tag } };
  }) as { definitions?: object };
  return { ...rest, definitions: { ...own, ...definitions } };
}

/** The validator of a schema, made now. */
export function compileSchema(schema: object): ValidateFunction {
  return ajv().compile(prepared(schema));
}

const REQUIRE = /^(?:"use strict";)|const (\w+) = require\("([^"]+)"\)(\.[^;]+);/g;

/** In place of what ajv ships for it, which bundlers and loaders import in different ways. */
const CODE_POINTS = '(text) => { let length = 0; for (const _ of text) length++; return length; }';

/** The same as the text of a module that needs no compiler: what it requires is imported. */
export function moduleOf(schema: object): string {
  const made = ajv();
  const imports: string[] = [];
  const code = standalone
    .default(made, made.compile(prepared(schema)))
    .replaceAll(REQUIRE, (_, name: string | undefined, from: string, member: string) => {
      if (name === undefined) return '';
      if (from.endsWith('ucs2length')) return `const ${name} = ${CODE_POINTS};`;
      imports.push(`import ${name}Module from '${from}.js';\n`);
      return `const ${name} = ${name}Module${member};`;
    });
  return `import type { ValidateFunction } from 'ajv';\n${imports.join('')}${code.replace(/export const validate = (\w+);export default \w+;/, 'export const validate = $1 as unknown as ValidateFunction;')}\n`;
}
