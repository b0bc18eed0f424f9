import { runContainerChecks } from './container/run-container-checks.ts';
import { runPythonSuites } from './run-python-suites.ts';

// Both, or one alone: `main.ts python -k killed`, `main.ts container`. One that cannot run here says why.
const [part, ...args] = process.argv.slice(2);
const results: boolean[] = [];
if (part !== 'container') results.push(await runPythonSuites(args));
if (part !== 'python') results.push(await runContainerChecks());
if (results.includes(false)) process.exitCode = 1;
