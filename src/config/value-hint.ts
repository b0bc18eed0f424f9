/** What shells, files and variables leave around a value by mistake. */
const WRAPPED = /^[\s"']|[\s"']$/;
/** What templates have where a value belongs, or within an address. */
const PLACEHOLDER =
  /^(\$\{?[\w.-]+\}?|<[^<>]+>|\{\{.*\}\}|%\w+%)$|^https?:\/\/.*(\$\{?\w|\{\{|<[^<>]+>|\{\w+\})/;

/** Returns what may be wrong with a text in a config, to follow its name; null if nothing shows. */
export function valueHint(value: string): string | null {
  if (PLACEHOLDER.test(value)) return 'looks like a placeholder: was its value not filled in?';
  return WRAPPED.test(value) ? 'begins or ends with white space or a quote: is that intended?' : null;
}
