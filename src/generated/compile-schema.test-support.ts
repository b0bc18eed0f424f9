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
    verbose: true,
    code: { source: true, esm: true },
  });
  formats.default(made);
  return made;
}

/** Returns the schema with a `discriminator` for each `oneOf`: the member that is a constant in the first variant. */
function withDiscriminators<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withDiscriminators) as T;
  const entries = Object.entries(schema).map(([key, value]) => [key, withDiscriminators(value) as unknown]);
  const { oneOf } = schema as { oneOf?: readonly { properties?: object }[] };
  const members = Object.entries(oneOf?.[0]?.properties ?? {}) as [string, { const?: unknown }][];
  const chosen = members.find(([, member]) => member.const !== undefined);
  return Object.fromEntries(
    chosen === undefined ? entries : [...entries, ['discriminator', { propertyName: chosen[0] }]],
  ) as T;
}

/** The validator of a schema, made now. */
export function compileSchema(schema: object): ValidateFunction {
  return ajv().compile(withDiscriminators(schema));
}

const REQUIRE = /^(?:"use strict";)|const (\w+) = require\("([^"]+)"\)(\.[^;]+);/g;

/** In place of what ajv ships for it, which bundlers and loaders import in different ways. */
const CODE_POINTS = '(text) => { let length = 0; for (const _ of text) length++; return length; }';

/** The same as the text of a module that needs no compiler: what it requires is imported. */
export function moduleOf(schema: object): string {
  const made = ajv();
  const imports: string[] = [];
  const code = standalone
    .default(made, made.compile(withDiscriminators(schema)))
    .replaceAll(REQUIRE, (_, name: string | undefined, from: string, member: string) => {
      if (name === undefined) return '';
      if (from.endsWith('ucs2length')) return `const ${name} = ${CODE_POINTS};`;
      imports.push(`import ${name}Module from '${from}.js';\n`);
      return `const ${name} = ${name}Module${member};`;
    });
  return `import type { ValidateFunction } from 'ajv';\n${imports.join('')}${code.replace(/export const validate = (\w+);export default \w+;/, 'export const validate = $1 as unknown as ValidateFunction;')}\n`;
}
