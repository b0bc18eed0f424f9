import { configError, messageOf } from '../errors.ts';
import { wasm } from '../generated/wasm/json-scanner.generated.ts';

export const NONE = -1; // given instead of a number of an element

/** What `json-scanner.assembly.ts` exports; all numbers are bytes of its memory, where the text starts at 0. */
interface Exports extends Readonly<Record<'oddItem' | 'table' | 'tableEnd', { readonly value: number }>> {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly makeRoom: (length: number) => number;
  readonly skipSpace: (from: number) => number;
  readonly skipValue: (from: number) => number;
  readonly skipName: (from: number) => number;
  readonly skipItems: (from: number, most: number) => number;
}

/** A reader of JSON as strict as JSON.parse that makes nothing of what it reads; places are bytes of the text. */
export type JsonScanner = ReturnType<typeof scannerOf>;

let loaded: Exports | null = null;

/**
 * The scanner of a text: there is one in a process, and it knows the last text that it was given.
 *
 * @throws config_error NO_WEBASSEMBLY where Node.js has none
 */
export function scannerOf(text: Buffer) {
  loaded ??= start();
  const { memory, makeRoom, table, tableEnd, ...skipping } = loaded;
  const invalid = makeRoom(text.length);
  // growing gives the memory a new buffer
  new Uint8Array(memory.buffer).set(text);
  return {
    ...skipping,
    /** Given instead of a place where the text is not valid JSON; whoever goes on from there gives it too. */
    invalid,
    /**
     * The elements that `skipItems` has read last, up to the first odd one, whose number `oddItem` gives: no object with members,
     * or one more than `most`. For each where it starts and ends, how many members it has, the number of the first of those up
     * to it that are all named alike, and for each member where its name and its value start, and its `ValueKind`.
     */
    items: () => new Uint32Array(memory.buffer.slice(table.value, tableEnd.value)),
  };
}

/** Its types come with those of browsers, which are not those of this program. */
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
    const words =
      `Node.js cannot start WebAssembly, which reads the pages: ${messageOf(error)}. Where the address space is limited ` +
      '(ulimit -v) it takes NODE_OPTIONS=--disable-wasm-trap-handler, or a higher limit.';
    throw configError('NO_WEBASSEMBLY', words);
  }
}
