import { reportSkips } from '../support/skips.ts';
import { runOnNodeOfImage } from './image-node.ts';
import { NotAvailable } from './python-environment.ts';
import { runPythonSuites } from './run-python-suites.ts';

// All, or one alone with its arguments: `main.ts python -k killed`. One that cannot run here says why.
const [part, ...args] = process.argv.slice(2);
const parts = { node: runOnNodeOfImage, python: runPythonSuites };
for (const [name, run] of Object.entries(parts)) {
  if (part !== undefined && part !== name) continue;
  const isWell = await run(args).catch((error: unknown) => {
    if (!(error instanceof NotAvailable)) throw error;
    return reportSkips([{ file: 'acceptance-tests/platforms/main.ts', name: name, reason: error.message }]);
  });
  if (!isWell) process.exitCode = 1;
}
