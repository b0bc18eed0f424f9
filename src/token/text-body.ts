import { excerptOf, printable, shownText } from '../http/response.ts';
import { saysClientRejected, saysDown, saysLimit } from '../http/server-words.ts';
import { QUOTED } from '../limits.ts';
import { quoted } from '../protocol/messages.ts';
import { locateJsonFault } from '../rows/json-fault.ts';

type Redact = (text: string) => string;

/** A body that is no JSON: what it is, in words that contain no token, and whether it seems to hold one. */
export type TextBody = Readonly<{ words: string; holdsToken: boolean }>;

const MAX_DEPTH = 100; // of brackets
const TITLE = /<title\b[^<>]*>([^<]*)/i;
const HEADING = /<h1\b[^<>]*>([^<]*)/i;
const PAGE = /^(<!doctype html|<!--|<html|<head|<body)/i;
const STARTS_JSON = /^[{[]/;
const ENDS_JSON = /[}\]]$/;

const JWT = /(?<![\w-])eyJ[\w-]+\.[\w-]+\./;
/** A token with its name, as in a form, XML, YAML, or JSON with single quotes or after other text. */
const NAMED =
  /\b((?:access|id|bearer|auth)[_-]?token)["']?[^\S\n]*[=:>][^\S\n]*["']?[\w.~+/-]{6,}|\b(token|jwt)[=>][\w.~+/-]{6,}/i;
/** Nothing but one long word with a digit. */
const OPAQUE = /^(bearer )?["']?(?=\D*\d)[\w.~+/=-]{16,}["']?$/i;
const WORDS = /[^\s"'<>]{8,}/g;
/** True for a word that may be a token, or a part of one. */
const mayBeToken = (word: string): boolean => word.length > 15 || (/\d/.test(word) && /[a-z]/i.test(word));

/** Describes a body that is no JSON. */
export function describeText(body: Buffer, redact: Redact): TextBody {
  const text = textIn(body);
  if (text === '') return { words: 'empty', holdsToken: false };
  if (STARTS_JSON.test(text) && !ENDS_JSON.test(body.toString('latin1').trimEnd()))
    return { words: `cut: its JSON ends after ${body.length} bytes`, holdsToken: false };
  const shown = PAGE.test(text) ? shownText(text) : text;
  const token = tokenIn(shown);
  if (token !== null) return { words: redact(token), holdsToken: true };
  if (STARTS_JSON.test(text)) return { words: describeFault(text), holdsToken: false };
  const said = quotable(body, redact);
  const what = PAGE.test(text) ? 'a web page' : 'a text';
  return { words: said === '' ? what : `${what} that says ${quoted(said)}`, holdsToken: false };
}

/**
 * What a body that is no JSON says if it rejects the request, in place of a token: the client, a limit, or that the service is down; null
 * if it says none of it, and may hide a token.
 */
export function refusalInText(body: Buffer, redact: Redact): string | null {
  const text = textIn(body);
  if (STARTS_JSON.test(text) || describeText(body, redact).holdsToken) return null;
  const said = quotable(body, redact);
  return saysDown(said) || saysLimit(said) || saysClientRejected(said) ? said : null;
}

function textIn(body: Buffer): string {
  // TextDecoder removes a byte order mark
  return new TextDecoder().decode(body.subarray(0, QUOTED.decodedBytes)).trim();
}

/** What seems to be a token in a text; null if nothing does. */
function tokenIn(text: string): string | null {
  const [, name, bare] = NAMED.exec(text.replaceAll('&quot;', '"')) ?? [];
  const found = name ?? bare;
  if (found !== undefined) return `a text with ${quoted(found)}`;
  if (JWT.test(text)) return 'a text with a JWT';
  return OPAQUE.test(text) ? 'a single word' : null;
}

function describeFault(text: string): string {
  const fault = locateJsonFault(text, MAX_DEPTH);
  const at = Buffer.byteLength(text.slice(0, fault?.at ?? 0));
  const problem = fault?.problem.replace('the file', 'the text') ?? 'unknown';
  return `a text that is not valid JSON at byte ${at} (${problem})`;
}

/** The words of a text that can be quoted: of a web page its title and heading, and never what may be a token. */
function quotable(body: Buffer, redact: Redact): string {
  const text = textIn(body);
  const said = text.startsWith('<') ? headOf(redact(text)) : excerptOf({ headers: {}, body }, redact).text;
  return printable(said.replaceAll(WORDS, (word) => (mayBeToken(word) ? '…' : word))).slice(0, QUOTED.chars);
}

/** The title and heading of a web page, or else what it shows; of XML its texts. */
function headOf(markup: string): string {
  const parts = [TITLE, HEADING].map((part) => part.exec(markup)?.[1]?.trim() ?? '');
  const head = PAGE.test(markup) ? [...new Set(parts)].filter((part) => part !== '').join(': ') : '';
  return head === '' ? shownText(markup) : head;
}
