import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureEnvironment } from './python-environment.ts';

/** The current releases of the command and of the libraries, and those before. */
const COMMANDS = ['1.5.6', '1.5.5', '1.4.4.post2'];
const PYTHON = ['2.0.1', '1.5.6'];
const NODE = ['1.5.6-r.1', '1.5.5-r.5'];

/** Installs releases of DuckDB in a folder: commands, Pythons with the library, and folders in which Node.js finds it, by names. */
export async function installDuckdbs(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  await mkdir(folder, { recursive: true });
  for (const [name, versions] of [
    ['duckdb-cli', COMMANDS],
    ['duckdb', PYTHON],
  ] as const)
    for (const version of versions) {
      const place = join(folder, `${name}-${version}`);
      // pytz: times with a zone
      await writeFile(`${place}.txt`, `${name}==${version}\npytz==2026.6\n`);
      const python = await ensureEnvironment(place, `${place}.txt`);
      found[`${name} ${version}`] = name === 'duckdb' ? python : join(place, 'bin/duckdb');
    }
  for (const version of NODE) {
    const place = join(folder, `node-api-${version}`);
    await mkdir(place, { recursive: true });
    const args = [
      'install',
      '--silent',
      '--no-audit',
      '--no-fund',
      '--prefix',
      place,
      `@duckdb/node-api@${version}`,
    ];
    if (!existsSync(join(place, 'node_modules/@duckdb/node-api'))) await promisify(execFile)('npm', args);
    found[`node-api ${version}`] = place;
  }
  return found;
}
