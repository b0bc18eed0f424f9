/*
 * Parts of Node.js that are not imported by name: for such an import it evaluates every export of a module, the lazy ones
 * too, and WebCrypto or Blob take longer to load than a config takes to validate.
 */
export const { isUtf8 } = process.getBuiltinModule('node:buffer');
export const { hash, randomUUID } = process.getBuiltinModule('node:crypto');
