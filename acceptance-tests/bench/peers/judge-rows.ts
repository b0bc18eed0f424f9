import { isSameNumber, numberTexts } from './number-texts.ts';

/** What a program made of a list that moved while it was read. */
export interface Judgement {
  /** Rows that were there from the start to the end. */
  readonly rows: number;
  /** Those of them that it did not give. */
  readonly lost: number;
  /** Rows that it gave more than once, each further time counted. */
  readonly doubled: number;
  readonly numbers: number;
  /** Numbers that it wrote in another way: the same number with other digits. */
  readonly rewritten: number;
  /** Numbers that it turned into other ones, or left out. */
  readonly altered: number;
  /** A changed number, for example `odometerkm: 605192.50 -> 605192.5`; empty if there is none. */
  readonly example: string;
}

/** Compares the texts of rows as they came out with those of the source, both by their `assetId`. */
export function judgeRows(
  given: Iterable<string>,
  sources: ReadonlyMap<string, string>,
  throughout: readonly string[],
): Judgement {
  const seen = new Set<string>();
  let doubled = 0;
  let numbers = 0;
  let rewritten = 0;
  let altered = 0;
  let example = '';
  for (const text of given) {
    const id = idOfText(text);
    const source = sources.get(id);
    if (source === undefined) throw new Error(`a row that the server never had: ${text.slice(0, 200)}`);
    if (seen.has(id)) doubled++;
    seen.add(id);
    const found = numberTexts(text);
    for (const [place, wanted] of numberTexts(source)) {
      numbers++;
      const number = found.get(place);
      if (number === wanted) continue;
      if (number !== undefined && isSameNumber(number, wanted)) rewritten++;
      else altered++;
      example ||= `${place}: ${wanted} -> ${number ?? 'nothing'}`;
    }
  }
  const lost = throughout.filter((id) => !seen.has(id)).length;
  return { rows: throughout.length, lost, doubled, numbers, rewritten, altered, example };
}

function idOfText(text: string): string {
  return /"asset_?[iI]d":\s*"([^"]*)"/.exec(text)?.[1] ?? '';
}
