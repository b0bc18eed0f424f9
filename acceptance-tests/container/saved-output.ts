import { chmod, mkdtemp, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { recordText } from '../support/run-views.ts';

/** The texts of the alarms in the output files of a folder, oldest file first. A line that was cut off is left out. */
export async function savedAlarms(folder: string, prefix: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.startsWith(prefix)).toSorted();
  const rows: string[] = [];
  for (const file of files) {
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n').slice(0, -1);
    for (const line of lines)
      if (line.startsWith('{"type":"RECORD","record":{"stream":"alarms"') && line.endsWith('}}}'))
        rows.push(recordText(Buffer.from(line)));
  }
  return rows;
}

/** A new folder under `parent` that every user may read. */
export async function publicFolder(parent: string, prefix: string): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o755);
  return folder;
}
