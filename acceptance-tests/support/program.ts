import { join } from 'node:path';

/** The program built for the tests (see `build-program.ts`), or by `npm run build`. */
export const program = process.env['PROGRAM'] ?? join(import.meta.dirname, '../../dist/main.js');
