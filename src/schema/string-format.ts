import type { FormatName } from 'ajv-formats/dist/formats.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/**
 * Whether a text keeps a `format`, judged by the very rules with which ajv-formats validates it. A format that it does not
 * know, or that is not about strings, is kept by every text.
 */
export function matchesFormat(format: string, text: string): boolean {
  const rule = Object.hasOwn(fullFormats, format) ? fullFormats[format as FormatName] : true;
  if (rule instanceof RegExp) return rule.test(text);
  if (typeof rule === 'function') return rule(text);
  if (typeof rule !== 'object' || rule.type === 'number') return true;
  // All definitions of ajv-formats that are not about numbers are of this shape.
  return (rule.validate as (text: string) => boolean)(text);
}
