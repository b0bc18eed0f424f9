/**
 * A draft-07 schema as this connector ships and prints it: every keyword may stand in it, the named ones are those that
 * inference reads or writes. `type` is a plain string, so that an imported `.json` file fits.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly airbyte_type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean;
}
