import { hasNames } from './secret-parts.ts';

/** What shells, files and editors leave around a value by mistake. */
const WRAPPED = /^[\s"'`\p{Pi}\p{Pf}]|[\s"'`\p{Pi}\p{Pf}]$/u;
/** What comes along when a value is copied from a page or a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
/** What templates and masks have where a value belongs: an expression in brackets, a variable, or no letter or digit at all. */
const PLACEHOLDER = /^(?:[$!@]?[({<[].*[)}>\]]|\$[\w.-]+|%\w+%|[^\p{L}\p{N}]+)$/u;
/** The same within an address. */
const TEMPLATE = /^https?:\/\/.*(\$[{(]?\w|\{\{|<[^<>]+>|\{\w+\})/i;

/** Returns what may be wrong with a text in a config, to follow its name; null if nothing shows. */
export function valueHint(value: string): string | null {
  if (hasNames(value)) return 'has a name in it, like a file of settings: was only the value meant?';
  if (PLACEHOLDER.test(value) || TEMPLATE.test(value))
    return 'looks like a placeholder: was its value not filled in?';
  if (WRAPPED.test(value)) return 'begins or ends with white space or a quote: is that intended?';
  return UNSEEN.test(value) ? 'has a character that cannot be seen: is that intended?' : null;
}
