// The types in this folder are generated from JSON schemas. This test generates them again and compares them with the files, so
// that schemas and types cannot diverge. `npm run generate` runs the same test and updates the files.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

interface Source {
  /** Path of the file that holds the schema, from the root of the repository. */
  file: string;
  /** Name of the generated file, without its ending. */
  output: string;
  /** Name of the outermost type if the schema has no title. */
  typeName: string;
  schema: JSONSchema;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, first: string) => first.toUpperCase());

/**
 * The schema of a form, whose titles are labels for people, with titles that make good type names instead:
 * `AssetsConfig` for the object under `assets`, `ScopedToken` for the variant `scoped` under `token`. What has a default is
 * there, since validation fills it in.
 */
function withTypeNames(schema: JSONSchema, typeName: string): JSONSchema {
  const { title: _label, ...rest } = schema;
  const named = schema.type === 'object' ? { ...rest, title: typeName } : rest;
  const defaulted = Object.entries(schema.properties ?? {}).filter(
    ([, inner]) => inner.default !== undefined,
  );
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (defaulted.length > 0) named.required = [...required, ...defaulted.map(([key]) => key)];
  if (schema.properties !== undefined)
    named.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, inner]) => {
        return [key, withNamedVariants(inner, `${pascalCase(key)}Config`, key)];
      }),
    );
  return named;
}

/** A member of a form, the variants of which are named too: `ScopedToken`, and `OffsetListConfig` for the elements of `lists`. */
function withNamedVariants(schema: JSONSchema, typeName: string, suffix: string): JSONSchema {
  const { title: _label, items, ...array } = schema;
  if (items !== undefined && !Array.isArray(items) && items.oneOf !== undefined) {
    const elementName = typeName.replace('sConfig', 'Config');
    return { ...array, items: withNamedVariants(items, elementName, elementName) };
  }
  const variants = schema.oneOf?.map((variant) => withTypeNames(variant, variantName(variant, suffix)));
  const renamed = withTypeNames(schema, typeName);
  return variants === undefined ? renamed : { ...renamed, oneOf: variants };
}

function variantName(variant: JSONSchema, parentKey: string): string {
  const constants = Object.values(variant.properties ?? {}).map((property) => property['const'] as unknown);
  const kind = constants.find((constant) => typeof constant === 'string');
  if (kind === undefined) throw new Error(`a variant of ${parentKey} has no property with a const`);
  return pascalCase(kind) + pascalCase(parentKey);
}

function configSource(): Source {
  const spec = readJson('spec.json') as { connectionSpecification: JSONSchema };
  return {
    file: 'spec.json',
    output: 'config',
    typeName: 'ConnectorConfig',
    schema: withTypeNames(spec.connectionSpecification, 'ConnectorConfig'),
  };
}

function schemaSource(file: string, output: string): Source {
  return { file, output, typeName: pascalCase(output), schema: readJson(file) as JSONSchema };
}

const schemasInSrc = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.schema.json'))
  .toSorted()
  .map((file) => schemaSource(join('src', file), basename(file, '.schema.json')));

const sources = [
  configSource(),
  schemaSource('acceptance-tests/suites/conformance/airbyte-protocol.schema.json', 'protocol'),
  ...schemasInSrc,
];

test('each schema has a generated file of its own', () => {
  const outputs = sources.map(({ output }) => output);
  expect(outputs).toStrictEqual([...new Set(outputs)]);
});

test('no generated file is left over from a schema that is gone', () => {
  const present = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.generated.ts'));
  const expected = new Set(sources.map(({ output }) => `${output}.generated.ts`));
  expect(present.filter((file) => !expected.has(file))).toStrictEqual([]);
});

test.each(sources)('$file is a valid schema, which is not checked when it is compiled', ({ file }) => {
  expect(new Ajv({ strict: false }).validateSchema(readJson(file) as object)).toBe(true);
});

test.each(sources)('$output: the types match $file', async ({ file, output, typeName, schema }) => {
  const types = await compile(schema, typeName, {
    additionalProperties: false,
    bannerComment: `// Generated from ${file} by \`npm run generate\`. Do not edit.`,
    cwd: join(root, file, '..'),
    ignoreMinAndMaxItems: true,
    style: { printWidth: 110, singleQuote: true },
    unknownAny: true,
  });
  await expect(types).toMatchFileSnapshot(`${output}.generated.ts`);
});
