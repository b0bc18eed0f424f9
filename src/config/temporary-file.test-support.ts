import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that lives as long as the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'source-trailer-data-'));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** A file with that content that lives as long as the test. */
export function temporaryFile(content: string | Buffer): string {
  const path = join(temporaryDirectory(), 'file');
  writeFileSync(path, content);
  return path;
}
