import { StatusError, refusesForm } from '../api/status-error.ts';
import { isConnectorError } from '../errors.ts';
import { saysOutOfRange } from '../http/server-words.ts';
import { formatWith } from '../paging/cursor/bounds.ts';
import type { CursorPage, PageRequest } from '../paging/cursor/list.ts';
import {
  HOUR,
  MIN_INSTANT,
  instantOf,
  readWritten,
  writeTime,
  type TimeFormat,
  type WrittenTime,
} from '../paging/instant.ts';
import { refusedInAllForms } from './messages/cursor.ts';

/** Requests a page. */
type Fetch<P> = (request: PageRequest) => Promise<P>;

/** Reads the created time of a row. */
type CreatedOf<R> = (row: R) => WrittenTime | undefined;

/** Gets the refused text of a bound, and the accepted one. */
type Say = (refused: string, accepted: string) => Promise<void>;

/** What is known of the forms that a service accepts. */
interface Known {
  form: TimeFormat | null; // in which bounds are sent; null: as they are written
  readonly accepted: TimeFormat[]; // the latest first
  readonly tried: Map<string, 'accepted' | 'refused'>; // by the shape of a text
}

/**
 * Returns a function that requests pages of a list with `createdSince` in the form that the service accepts: api.md does not show it. A
 * bound is sent as it is written, until that is refused. Then the same time is sent in other usual forms, and the first one that is
 * accepted is used for all bounds from then on. If all are refused, throws the first refusal, which names them; no form is sent again
 * that was refused.
 */
export function createBoundForms<R>(createdOf: CreatedOf<R>) {
  const known: Known = { form: null, accepted: [], tried: new Map() };
  return async <P extends CursorPage<R>>(request: PageRequest, fetch: Fetch<P>, say: Say): Promise<P> => {
    if (request.createdSince === null) return fetch(request);
    const given = request.createdSince;
    const text = written(given, known.form);
    const wasTried = known.tried.has(shapeOf(text));
    const first = await send(known, { ...request, createdSince: text }, known.form, fetch);
    if (!('refusal' in first)) return first;
    if (wasTried) throw first.refusal;
    const usual = otherForms(given, await formatOfRows(request, fetch, createdOf));
    const refused: string[] = [];
    let found: Found<P> | null = null;
    for (const form of [...known.accepted, ...usual]) {
      const createdSince = written(given, form);
      if (known.tried.get(shapeOf(createdSince)) === 'refused') continue;
      const answer = await send(known, { ...request, createdSince }, form, fetch);
      if ('refusal' in answer) {
        refused.push(createdSince);
        continue;
      }
      const isUnderstood = !hasEarlier(answer.rows.map(createdOf), given);
      if (isUnderstood || found === null) found = { form, createdSince, answer };
      if (isUnderstood) break;
    }
    if (found === null) throw refusedInAllForms(first.refusal, refused);
    known.form = found.form;
    await say(text, found.createdSince);
    return found.answer;
  };
}

/** A form that is accepted, and the page that it brought. */
interface Found<P> {
  readonly form: TimeFormat;
  readonly createdSince: string;
  readonly answer: P;
}

/** Returns whether times are so much earlier than a bound that it was taken for another one. */
function hasEarlier(times: readonly (WrittenTime | undefined)[], bound: string): boolean {
  const least = instantOf(bound, MIN_INSTANT) - HOUR;
  return times.some((time) => time !== undefined && time.instant < least);
}

/** Sends a bound in a form, and notes whether it is accepted. A form that was not tried yet may be a reason to refuse it. */
async function send<P extends object>(
  known: Known,
  request: PageRequest & { readonly createdSince: string },
  form: TimeFormat | null,
  fetch: Fetch<P>,
): Promise<P | Refusal> {
  const { createdSince } = request;
  const shape = shapeOf(createdSince);
  const mayBeRefused = request.mayBeRefused || (!known.tried.has(shape) && 'in its form');
  const answer = await orRefusal(fetch({ ...request, mayBeRefused }));
  if (known.tried.get(shape) === 'accepted') return answer;
  const isRefused = 'refusal' in answer;
  known.tried.set(shape, isRefused ? 'refused' : 'accepted');
  const format = form ?? readWritten(createdSince)?.format;
  if (!isRefused && format !== undefined) known.accepted.unshift(format);
  return answer;
}

/** Returns a bound as it is written in a form; null for the one that it has. */
function written(text: string, form: TimeFormat | null): string {
  const time = form === null ? undefined : readWritten(text);
  return time === undefined ? text : writeTime(time.instant, form);
}

/** Returns the same for all times that are written in the same form. */
const shapeOf = (text: string): string => text.replaceAll(/\d/g, '9');

/** A refusal that may be due to the form of a bound. */
interface Refusal {
  readonly refusal: unknown;
}

/** Returns what a request brings, or such a refusal. */
async function orRefusal<P extends object>(response: Promise<P>): Promise<P | Refusal> {
  try {
    return await response;
  } catch (refusal) {
    if (!isAboutForm(refusal)) throw refusal;
    return { refusal };
  }
}

function isAboutForm(error: unknown): boolean {
  if (!isConnectorError(error, 'REQUEST_REFUSED') || !(error.cause instanceof StatusError)) return false;
  return refusesForm(error.cause) && !saysOutOfRange(error.cause.excerpt.text);
}

/** Returns how rows write their times, from a page without a bound, if the bound is not made from rows; null if that is not known. */
async function formatOfRows<R>(
  request: PageRequest,
  fetch: Fetch<CursorPage<R>>,
  createdOf: CreatedOf<R>,
): Promise<TimeFormat | null> {
  if (request.boundFrom !== 'start date') return null;
  const page = await orRefusal(fetch({ ...request, after: null, createdSince: null, mayBeRefused: true }));
  return 'refusal' in page ? null : formatWith(null, page.rows.map(createdOf));
}

const RFC_3339 = { kind: 'calendar', separator: 'T', seconds: true, fractionDigits: 0, zone: 'Z' } as const;
const EPOCH = { kind: 'epoch', fractionDigits: 0 } as const;

/** Returns the forms in which services are known to expect a bound, the likely ones and those that cannot be misread first. */
function otherForms(text: string, rowsFormat: TimeFormat | null): readonly TimeFormat[] {
  const own = rowsFormat ?? readWritten(text)?.format ?? RFC_3339;
  const zones = ['Z', '+00:00', '+0000'] as const;
  return [
    own,
    ...(own.kind === 'calendar' ? zones.map((zone) => ({ ...own, zone })) : []),
    ...[0, 3].flatMap((fractionDigits) => zones.map((zone) => ({ ...RFC_3339, fractionDigits, zone }))),
    // a service in another zone may take it for another time
    ...(own.kind === 'calendar' ? [{ ...own, zone: '' as const }] : []),
    { ...RFC_3339, zone: '' },
    // a service that expects ms takes s for 1970, and returns too much, which shows; the other way round it would return too little
    { ...EPOCH, unit: 1_000_000_000n },
    { ...EPOCH, unit: 1_000_000n },
  ];
}
