import { prettyJson } from '../data/pretty-json.ts';
import type { Knobs } from '../knobs/knobs.ts';

/**
 * The body of a list response from the texts of its items and of its pagination object.
 * With `envelopeExtra` it has other members too, among them some named like the real ones, deeper in the document.
 * Items must come from `renderer`, so that they are spread over lines if the page is.
 */
export function envelope(items: readonly string[], pagination: string, knobs: Knobs): string {
  const rows = knobs.prettyPrint ? prettyItems(items) : `"items":[${items.join(',')}]`;
  const extra = knobs.envelopeExtra;
  const before = extra
    ? '"traceId":"00-7b\\u0022","items":-1,"related":{"items":[{}],"pagination":null},'
    : '';
  const after = extra ? `,"servedRows":${items.length},"pagination2":{"nextCursor":"no"}` : '';
  const metadata = `"metadata":{${before}"pagination":${pagination}${after}}`;
  const members = [rows, knobs.prettyPrint ? prettyMember(metadata) : metadata];
  if (knobs.memberOrder === 'metadataFirst') members.reverse();
  if (extra) {
    const decoy = '"info":{"items":[{"metadata":{"pagination":{"nextCursor":"decoy","totalCount":0}}}]}';
    members.unshift(knobs.prettyPrint ? prettyMember(decoy) : decoy);
    members.push(knobs.prettyPrint ? '"links": null' : '"links":null');
  }
  return knobs.prettyPrint ? `{\n  ${members.join(',\n  ')}\n}` : `{${members.join(',')}}`;
}

function prettyItems(items: readonly string[]): string {
  return items.length === 0 ? '"items": []' : `"items": [\n    ${items.join(',\n    ')}\n  ]`;
}

function prettyMember(member: string): string {
  return prettyJson(member, 1);
}
