import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from './versions.ts';

test('what has more cases in the project `long` is in it', () => {
  const config = readFileSync(join(repository, 'vitest.config.ts'), 'utf8');
  const files = readdirSync(join(repository, 'acceptance-tests'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('simulation'))
    .map((file) => `acceptance-tests/${file}`);
  const shortened = files.filter((file) =>
    /^import \{.*\b(?:firstOf|isLong|runs)\b.*property-runs/m.test(
      readFileSync(join(repository, file), 'utf8'),
    ),
  );
  expect(shortened.length).toBeGreaterThan(3);
  expect(shortened.filter((file) => !config.includes(`'${file}'`))).toStrictEqual([]);
});
