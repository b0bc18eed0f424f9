import { lineForm } from '../sandbox/digest.ts';

/** Told of what happens; the words are made only if somebody wants to know. */
export type Tell = (words: () => string) => void;

/** What a list goes by. */
export interface Surroundings {
  /** Server time, ms since the epoch. */
  readonly now: () => number;
  /** Requests that the whole API has served so far. */
  readonly moment: () => number;
  readonly tell: Tell;
  /** True while nothing changes. */
  readonly isCalm: () => boolean;
}

/** What the API has answered, before anything happens to it on its way. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

export function refusal(status: number, words: string): Answer {
  return { status, body: JSON.stringify({ error: words }) };
}

/** What a list has shown. */
export function createShown({ moment }: Surroundings) {
  const numbers = new Map<string, number>();
  /** The pages of this read in order: when, from which row on, and the numbers of its rows. */
  const served: { moment: number; offset: number; rows: number[] }[] = [];
  return {
    served,
    /** The row that a RECORD holds, undefined for a text that was never shown. */
    rowOf: (line: string) => numbers.get(line),
    /** A page as docs/api.md has it, of texts by row; JSON leaves out what is undefined. */
    page: (offset: number, texts: readonly (readonly [number, string])[], pagination: object): Answer => {
      served.push({ moment: moment(), offset, rows: texts.map(([row]) => row) });
      for (const [row, text] of texts) numbers.set(lineForm(text), row);
      const items = texts.map(([, text]) => text).join(',');
      return { status: 200, body: `{"items":[${items}],"metadata":${JSON.stringify({ pagination })}}` };
    },
  };
}

/** Members that a reader which parses and writes anew would alter. */
const EXTRAS = [
  '',
  ',"odometer":1.10',
  ',"serial":9007199254740993',
  ',"note":"a\\u0041\\/b"',
  ',"gap": -0.0 ,"big":1E-7',
  ',\n  "note": "line\u2028end é"',
  ',"inner":{"createdDate":"1999-01-01T00:00:00Z","items":[1,{"assetId":"x"}]}',
  ',"twice":1,"twice":2',
];

/** Some members more, which differ from row to row. */
export function extraMembers(row: number): string {
  return EXTRAS[row % EXTRAS.length] ?? '';
}
