import { hash } from 'node:crypto';

/** How emitted rows differ from the truth, in rows. */
export interface Findings {
  /** Rows that had to be emitted and were not. */
  readonly lost: number;
  /** Emissions of a row that had been emitted before. */
  readonly doubled: number;
  /** Emitted rows that the truth does not know in this text. */
  readonly altered: number;
}

/** Remembers which rows were emitted, in 16 to 32 bytes a row, whatever their length. */
export interface RowLedger {
  /** Takes the exact text of an emitted row. */
  add(text: string): void;
  /** Emissions so far. */
  count(): number;
  /**
   * Compares with the rows that must have been emitted and those that may have been (undefined: the same ones); each list
   * names a row once.
   */
  compare(must: AsyncIterable<string>, may: AsyncIterable<string> | undefined): Promise<Findings>;
}

/** An empty ledger: an open hash table of fingerprints (52 bits of the SHA-256; two rows of a million share one once in 9,000 demos). */
export function createRowLedger(): RowLedger {
  let table = new Float64Array(1 << 16);
  let emissions = 0;
  let rows = 0;

  /** The place of a fingerprint, or the free place where it belongs. */
  const placeOf = (fingerprint: number): number => {
    let place = fingerprint % table.length;
    while (table[place] !== 0 && table[place] !== fingerprint) place = (place + 1) % table.length;
    return place;
  };
  const grow = (): void => {
    const old = table;
    table = new Float64Array(old.length * 2);
    for (const fingerprint of old) if (fingerprint !== 0) table[placeOf(fingerprint)] = fingerprint;
  };
  const countKnown = async (texts: AsyncIterable<string>): Promise<{ known: number; unknown: number }> => {
    let known = 0;
    let unknown = 0;
    for await (const text of texts) {
      const fingerprint = fingerprintOf(text);
      if (table[placeOf(fingerprint)] === fingerprint) known += 1;
      else unknown += 1;
    }
    return { known, unknown };
  };

  return {
    add: (text) => {
      const fingerprint = fingerprintOf(text);
      emissions += 1;
      const place = placeOf(fingerprint);
      if (table[place] === fingerprint) return;
      table[place] = fingerprint;
      rows += 1;
      if (rows * 2 > table.length) grow();
    },
    count: () => emissions,
    compare: async (must, may) => {
      const wanted = await countKnown(must);
      const { known } = may === undefined ? wanted : await countKnown(may);
      return { lost: wanted.unknown, doubled: emissions - rows, altered: rows - known };
    },
  };
}

/** Never 0, which stands for a free place. */
function fingerprintOf(text: string): number {
  const bytes = hash('sha256', text, 'buffer');
  return bytes.readUIntBE(0, 6) * 16 + ((bytes[6] ?? 0) >> 4) + 1;
}
