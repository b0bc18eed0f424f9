import { hasNames } from './secret-parts.ts';

/** What shells, files and editors leave around a value by mistake. */
const WRAPPED = /^[\s"'`\p{Pi}\p{Pf}]|[\s"'`\p{Pi}\p{Pf}]$/u;
/** What comes along when a value is copied from a page or a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
/** What templates and masks have where a value belongs: an expression in brackets, a variable, or no letter or digit at all. */
const PLACEHOLDER = /^(?:[$!@]?[({<[].*[)}>\]]|\$[\w.-]+|%\w+%|@\w+@|[^\p{L}\p{N}]+)$/u;
/** The same within an address. */
const TEMPLATE = /^https?:\/\/.*(\$[{(]?\w|\{\{|<[^<>]+>|\{\w+\})/i;
/** Words that stand for a value that is not there. */
const NO_VALUE =
  /^(?:null|none|nil|undefined|nan|to-?do|tbd|fixme|redacted|placeholder|x{4,}|client[-_]?(?:id|secret)|(?:change|replace)[-_ ]?(?:me|this|it)|your[-_ ].+)$/i;
/** How tools that keep secrets write where one is, for other tools to replace; or encrypt one. */
const REFERENCE = new RegExp(
  [
    String.raw`(?:ref\+\w+|op|env|file|ssm|(?:aws|gcp)-?sm|[\w-]*(?:secret|vault|keyring)[\w-]*):+\S`,
    String.raw`arn:[\w-]+:(?:secretsmanager|ssm|kms):`,
    String.raw`projects\/[^/]+\/secrets\/`,
    String.raw`\/(?:var\/)?run\/secrets\/`,
    String.raw`[@!][\w.]*(?:secret|vault)\b`,
    String.raw`ENC\[|\{cipher\}`,
  ]
    .map((form) => `^${form}`)
    .join('|'),
  'i',
);

export const NOT_FILLED_IN = 'looks like a placeholder: was its value not filled in?';

/** Returns what may be wrong with a text in a config, to follow its name; null if nothing shows. */
export function valueHint(value: string): string | null {
  if (hasNames(value)) return 'has a name in it, like a file of settings: was only the value meant?';
  if (REFERENCE.test(value))
    return 'looks like a reference to a secret that is kept elsewhere: was it not replaced by the secret?';
  if (PLACEHOLDER.test(value) || TEMPLATE.test(value) || NO_VALUE.test(value)) return NOT_FILLED_IN;
  if (WRAPPED.test(value)) return 'begins or ends with white space or a quote: is that intended?';
  return UNSEEN.test(value) ? 'has a character that cannot be seen: is that intended?' : null;
}

/** How values of other types look in a text. */
const IN_QUOTES: Readonly<Record<string, RegExp>> = {
  integer: /^\s*-?\d+\s*$/,
  number: /^\s*-?\d+(?:\.\d+)?\s*$/,
  null: /^\s*null\s*$/i,
  boolean: /^\s*(?:true|false)\s*$/i,
  array: /^\s*\[.*\]\s*$/s,
  object: /^\s*\{.*\}\s*$/s,
};

/** Says that a text has the form of one of the expected types, to follow its name; null if it does not. */
export function quotesHint(text: string, types: readonly unknown[]): string | null {
  return types.some((type) => IN_QUOTES[String(type)]?.test(text)) ? 'is in quotes: remove them' : null;
}
