import { lineForm } from '../sandbox/digest.ts';
import type { DimensionName } from './answers.ts';

/** Told of what happens; the words are made only if somebody wants to know. */
export type Tell = (words: () => string) => void;

/** Notes that the drawn answer to a dimension makes a difference; `answer` where it was drawn only now. */
export type Matters = (dimension: DimensionName, answer?: string) => void;

/** What a list goes by. */
export interface Surroundings {
  /** Server time, ms since the epoch. */
  readonly now: () => number;
  /** Requests that the whole API has served so far. */
  readonly moment: () => number;
  readonly tell: Tell;
  readonly matters: Matters;
  /** True while nothing changes. */
  readonly isCalm: () => boolean;
}

/** What the API has answered, before anything happens to it on its way. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A page that was served: when, for which offset or lower bound, the numbers of its rows, and the total that it told. */
interface Served {
  readonly moment: number;
  readonly asked: number | string | null;
  readonly rows: readonly number[];
  readonly total: number | null;
}

export function refusal(status: number, words: string): Answer {
  return { status, body: JSON.stringify({ error: words }) };
}

/** What a list has shown. */
export function createShown({ moment }: Surroundings) {
  const numbers = new Map<string, number[]>();
  /** The pages of this read, in order. */
  const served: Served[] = [];
  return {
    served,
    /** The rows that a RECORD may hold, in the order in which they came in: several where their texts are equal. */
    rowsOf: (line: string): readonly number[] => numbers.get(line) ?? [],
    /** A page as docs/api.md has it, of texts by row; JSON leaves out what is undefined. */
    page: (
      asked: Served['asked'],
      texts: readonly (readonly [number, string])[],
      pagination: Readonly<Record<string, unknown>>,
    ): Answer => {
      const { totalCount } = pagination;
      const total = typeof totalCount === 'number' ? totalCount : null;
      served.push({ moment: moment(), asked, rows: texts.map(([row]) => row), total });
      for (const [row, text] of texts) {
        const line = lineForm(text);
        const equal = numbers.get(line);
        if (equal === undefined) numbers.set(line, [row]);
        else if (!equal.includes(row))
          numbers.set(
            line,
            [...equal, row].toSorted((a, b) => a - b),
          );
      }
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
