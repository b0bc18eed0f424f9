import { noWebAssembly } from '../errors.ts';
import { wasm } from '../generated/wasm/json-scanner.generated.ts';

export const NONE = -1; // instead of the index of an element

/** The exports of `json-scanner.assembly.ts`. Positions are addresses in its memory, where the text starts at 0. */
type Exports = Readonly<
  Record<'oddItem' | 'table' | 'tableEnd', { readonly value: number }> &
    Record<'makeRoom' | 'skipSpace' | 'skipValue' | 'skipName', (at: number) => number> & {
      memory: { readonly buffer: ArrayBuffer };
      skipItems: (from: number, max: number) => number;
    }
>;

/** A JSON scanner as strict as JSON.parse that allocates no values; positions are byte offsets in the text. */
export type JsonScanner = ReturnType<typeof scannerOf>;

let loaded: Exports | null = null;

/** The scanner for a text; it holds only the latest one. Throws config_error NO_WEBASSEMBLY if Node.js cannot run it. */
export function scannerOf(text: Buffer) {
  loaded ??= start();
  const { memory, makeRoom, table, tableEnd, ...skipping } = loaded;
  const invalid = makeRoom(text.length);
  // growing replaces the memory's buffer
  new Uint8Array(memory.buffer).set(text);
  return {
    ...skipping,
    /** The position returned for text that is not valid JSON; scanning from there returns it again. */
    invalid,
    /**
     * The items that `skipItems` read, up to the first odd one, whose index is `oddItem`: not an object with members, or beyond
     * the maximum. For each item: start, end, number of members, the index since which all items have the same names, and for
     * each member the start of its name, the start of its value and its `ValueKind`.
     */
    items: () => new Uint32Array(memory.buffer.slice(table.value, tableEnd.value)),
  };
}

/** Declared here because the official types come with those of browsers. */
interface Assembly {
  readonly Module: new (bytes: Buffer) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}

function start(): Exports {
  const { WebAssembly: assembly } = globalThis as { readonly WebAssembly?: Assembly };
  try {
    if (assembly === undefined) throw new Error('it runs with --jitless');
    return new assembly.Instance(new assembly.Module(Buffer.from(wasm, 'base64'))).exports;
  } catch (error) {
    throw noWebAssembly(error);
  }
}
