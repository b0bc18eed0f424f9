import { reportSkips } from '../support/skips.ts';
import { runOnNodeOfImage } from './image-node.ts';
import { NotAvailable } from './python-environment.ts';
import { runPythonSuites } from './run-python-suites.ts';

// Runs all parts, or one with its arguments: `main.ts python -k killed`. Ends with the first that fails, whose output then stands last.
const [part, ...args] = process.argv.slice(2);
const parts = { node: runOnNodeOfImage, python: runPythonSuites };
for (const [name, run] of Object.entries(parts)) {
  if (part !== undefined && part !== name) continue;
  const passed = await run(args).catch((error: unknown) => {
    if (!(error instanceof NotAvailable)) throw error;
    return reportSkips([{ file: 'acceptance-tests/platforms/main.ts', name, reason: error.message }]);
  });
  if (passed) continue;
  console.error(`failed: ${name}`);
  process.exitCode = 1;
  break;
}
