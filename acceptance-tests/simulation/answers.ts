import type { Deviation, ValueIn } from '../model/deviation.ts';
import { LIST_PARAMETERS, LIST_SIZES } from '../model/parameters.ts';
import { CONDITIONS, HABITS } from './conditions.ts';

/** What docs/deviations.md explains: what a server, a network, a clock or a person may do. */
export const DEVIATIONS = { ...LIST_PARAMETERS, ...CONDITIONS } as const;
const SIZES = { ...LIST_SIZES, ...HABITS } as const;

export type DimensionName = keyof typeof DEVIATIONS | keyof typeof SIZES;

/** The answers to each dimension. */
export const ANSWERS = Object.fromEntries(
  [...Object.entries<Deviation>(DEVIATIONS), ...Object.entries<string>(SIZES)].map(([name, entry]) => [
    name,
    (typeof entry === 'string' ? entry : entry.answers).split(' | ').map(parsed),
  ]),
) as unknown as Readonly<Record<DimensionName, readonly ReturnType<typeof parsed>[]>>;

function parsed(text: string) {
  const [, weight, answer = '', value = answer] = /^(\d+) (.*?)(?: = (.*))?$/.exec(text) ?? [];
  const isLiteral = /^(-?[\d.]+|true|false|null)$/.test(value);
  const range = value.split('..').map(Number);
  const literal = isLiteral && range.length === 1 ? (JSON.parse(value) as unknown) : value;
  return { weight: Number(weight), answer, value: range.length === 2 ? range : literal };
}

/** The value in a scenario for the answer to a dimension. */
export type ValueOf<D extends DimensionName> = D extends keyof typeof DEVIATIONS
  ? ValueIn<(typeof DEVIATIONS)[D]['answers']>
  : D extends keyof typeof SIZES
    ? ValueIn<(typeof SIZES)[D]>
    : never;
