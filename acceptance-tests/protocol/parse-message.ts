import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';

const ajv = new Ajv({ allErrors: true, discriminator: true, strictTypes: false });
formats.default(ajv);
const isMessage = ajv.compile<AirbyteMessage>(
  JSON.parse(readFileSync(join(import.meta.dirname, 'airbyte-protocol.schema.json'), 'utf8')),
);

/** What some readers take for the end of a line, as far as JSON allows it. */
const lineSplitter = /[\n\r\u0085\u2028\u2029]/;

/**
 * The one message that a line of stdout holds. `line` comes without its newline.
 *
 * @throws Error that says what is wrong: bytes that are not UTF-8, a character that breaks the line for some readers, no
 * JSON, or the places at which the message departs from `airbyte-protocol.schema.json`.
 */
export function parseMessage(line: string | Buffer): AirbyteMessage {
  if (typeof line !== 'string' && !isUtf8(line)) throw new Error('is not valid UTF-8');
  const text = line.toString();
  const splitter = lineSplitter.exec(text);
  if (splitter !== null)
    throw new Error(`holds a raw ${codePoint(splitter[0])} at character ${splitter.index}`);
  const value: unknown = JSON.parse(text);
  if (!isMessage(value)) throw new Error((isMessage.errors ?? []).map(describe).join('; '));
  return value;
}

function codePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath === '' ? 'message' : instancePath} ${message ?? 'is invalid'} ${JSON.stringify(params)}`;
}
