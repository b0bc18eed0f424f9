import { join } from 'node:path';

/** The built program: what the tests have built for themselves (see `build-program.ts`), else what `npm run build` has left. */
export const program = process.env['PROGRAM'] ?? join(import.meta.dirname, '../../dist/main.js');
