import type { Refusal } from '../model/answer.ts';
import { PLAIN_ENVELOPE, envelope } from '../model/envelope.ts';
import { lineForm } from '../sandbox/line-form.ts';
import type { DimensionName } from './answers.ts';

/** Adds a line to the trace, if there is one. */
export type Trace = (line: () => string) => void;

/** Notes that the drawn answer to a dimension makes a difference; `answer` if it is drawn only now. */
export type Matters = (dimension: DimensionName, answer?: string) => void;

/** What a list depends on. */
export interface Surroundings {
  /** Server time, ms since the epoch. */
  readonly now: () => number;
  /** Requests that the whole API has served. */
  readonly moment: () => number;
  readonly trace: Trace;
  readonly matters: Matters;
  /** Whether nothing changes at present. */
  readonly isCalm: () => boolean;
}

/** A response, before the network alters it. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A page that was served, for an offset or a lower bound. */
interface Served {
  readonly moment: number;
  readonly asked: number | string | null;
  readonly rows: readonly number[];
  readonly total: number | null;
}

export function refusal({ status, error }: Refusal): Answer {
  return { status, body: JSON.stringify({ error }) };
}

/** What a list has shown. */
export function createShown({ moment }: Surroundings) {
  const numbers = new Map<string, number[]>();
  /** The last text of each row. */
  const noted: string[] = [];
  /** The pages of this read, in order. */
  const served: Served[] = [];
  const note = (row: number, text: string): void => {
    if (noted[row] === text) return;
    noted[row] = text;
    const line = lineForm(text);
    const equal = numbers.get(line) ?? [];
    if (!equal.includes(row))
      numbers.set(
        line,
        [...equal, row].toSorted((a, b) => a - b),
      );
  };
  return {
    served,
    /** The rows that a RECORD may contain, in the order of their arrival: several if their texts are equal. */
    rowsOf: (line: string): readonly number[] => numbers.get(line) ?? [],
    /** A page in the format of docs/api.md, of the texts of rows; JSON omits what is undefined. */
    page: (
      asked: Served['asked'],
      texts: readonly (readonly [row: number, text: string])[],
      pagination: Readonly<Record<string, unknown>>,
    ): Answer => {
      const { totalCount } = pagination;
      const total = typeof totalCount === 'number' ? totalCount : null;
      served.push({ moment: moment(), asked, rows: texts.map(([row]) => row), total });
      for (const [row, text] of texts) note(row, text);
      const items = texts.map(([, text]) => text);
      return { status: 200, body: envelope(items, JSON.stringify(pagination), PLAIN_ENVELOPE) };
    },
  };
}

/** Members that parsing and serializing would alter. */
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

/** More members of a row. */
export function extraMembers(row: number): string {
  return EXTRAS[row % EXTRAS.length] ?? '';
}
