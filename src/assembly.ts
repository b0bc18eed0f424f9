import { configError, messageOf } from './errors.ts';
import type { ConnectorError } from './errors.ts';

/** Its types come with those of browsers, which are not those of this program. */
interface Assembly {
  readonly Module: new (bytes: Buffer) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/**
 * Starts WebAssembly that `npm run generate` has made, and gives what it exports.
 *
 * @throws config_error NO_WEBASSEMBLY where Node.js has none
 */
export function startAssembly(base64: string): unknown {
  const { WebAssembly: assembly } = globalThis as { readonly WebAssembly?: unknown };
  if (assembly === undefined) throw noWebAssembly('it runs with --jitless');
  const { Module, Instance } = assembly as Assembly;
  try {
    return new Instance(new Module(Buffer.from(base64, 'base64'))).exports;
  } catch (error) {
    throw noWebAssembly(messageOf(error));
  }
}

function noWebAssembly(why: string): ConnectorError {
  return configError(
    'NO_WEBASSEMBLY',
    `Node.js cannot start WebAssembly, which reads the pages: ${why}. Where the address space is limited (ulimit -v) it ` +
      `takes NODE_OPTIONS=--disable-wasm-trap-handler, or a higher limit.`,
  );
}
