/** How names of secrets end, in any spelling. */
const SECRET_NAME =
  /^(?:auth|code|sig)$|(?:key|secret|token|pass(?:word|wd|phrase)?|pwd|signature|credentials?|assertion)$/i;
/** What only a machine writes: a long run of letters and digits, or a UUID. */
const GENERATED = /(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{12,}|[\da-f]{8}(?:-[\da-f]{4}){3}-/i;
const MIN_CHARS = 4; // of a value that can be secret
/** A line of a file with settings: a name, `=` or `: `, and a value, perhaps in quotes. */
const SETTING =
  /^\s*(?:export\s+)?["']?(?<name>[a-z_][a-z_.-]*)["']?\s*(?:=(?!=)|:\s)\s*(?<quote>["']?)(?<value>\S.*?)\k<quote>\s*$/i;
/** A text in a JSON object. */
const MEMBER = /"(?<name>[^"\\]+)"\s*:\s*"(?<value>(?:[^"\\]|\\.)+)"/g;

/**
 * Returns the values in the query of an address that may be secret, as they are written there: by their names, or because only a machine
 * writes such values. A parameter without a value is one itself.
 */
export function secretsInQuery({ search }: URL): string[] {
  return search
    .slice(1)
    .split('&')
    .map((parameter) => /^(?:([^=]*)=)?(.*)$/s.exec(parameter) ?? [])
    .flatMap(([, name = '', value = '']) => (SECRET_NAME.test(name) || GENERATED.test(value) ? [value] : []));
}

/** True for a document, or lines of settings, with names in it. */
export function hasNames(text: string): boolean {
  return namedValues(text).length > 0;
}

/**
 * Returns the parts of a secret that must not be shown: all of it. If a document or lines of settings were taken for the secret, its values
 * with names of secrets, so that messages may still mention the names.
 */
export function secretParts(secret: string): string[] {
  const named = namedValues(secret).filter(
    ({ name, value }) => SECRET_NAME.test(name) && value.length >= MIN_CHARS,
  );
  return named.length === 0 ? [secret] : named.map(({ value }) => value);
}

/** The values in a JSON document or in lines of settings, as they are written there. */
function namedValues(text: string): { name: string; value: string }[] {
  const isJson = /^\s*[{[]/.test(text);
  const found = isJson ? text.matchAll(MEMBER) : text.split(/[\r\n]+/).map((line) => SETTING.exec(line));
  return [...found].flatMap((match) => {
    const { name, value } = match?.groups ?? {};
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
}
