import { runOnNodeOfImage } from './image-node.ts';
import { runPythonSuites } from './run-python-suites.ts';

// All, or one alone with its arguments: `main.ts python -k killed`. One that cannot run here says why.
const [part, ...args] = process.argv.slice(2);
const parts = new Map<string, () => boolean | Promise<boolean>>([
  ['node', () => runOnNodeOfImage(args)],
  ['python', () => runPythonSuites(args)],
]);
for (const [name, run] of parts)
  if ((part === undefined || part === name) && !(await run())) process.exitCode = 1;
