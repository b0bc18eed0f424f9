import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import formats from 'ajv-formats';

function ajv(): Ajv {
  const made = new Ajv({
    allErrors: true,
    useDefaults: true,
    strict: false,
    code: { source: true, esm: true },
  });
  formats.default(made);
  return made;
}

/** The validator of a schema, made now. */
export function compileSchema(schema: object): ValidateFunction {
  return ajv().compile(schema);
}

const REQUIRE = /^(?:"use strict";)|const (\w+) = require\("([^"]+)"\)(\.[^;]+);/g;

/** In place of what ajv ships for it, which bundlers and loaders import in different ways. */
const CODE_POINTS = '(text) => { let length = 0; for (const _ of text) length++; return length; }';

/** The same as the text of a module that needs no compiler: what it requires is imported. */
export function moduleOf(schema: object): string {
  const made = ajv();
  const imports: string[] = [];
  const code = standalone
    .default(made, made.compile(schema))
    .replaceAll(REQUIRE, (_, name: string | undefined, from: string, member: string) => {
      if (name === undefined) return '';
      if (from.endsWith('ucs2length')) return `const ${name} = ${CODE_POINTS};`;
      imports.push(`import ${name}Module from '${from}.js';\n`);
      return `const ${name} = ${name}Module${member};`;
    });
  return `import type { ValidateFunction } from 'ajv';\n${imports.join('')}${code.replace(/export const validate = (\w+);export default \w+;/, 'export const validate = $1 as unknown as ValidateFunction;')}\n`;
}
