import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const places = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/**
 * An installed browser of the Chromium family: CHROME_PATH if that is set, or one on the PATH. Undefined if there is none.
 * Throws if CHROME_PATH names no program.
 */
export function findBrowser(): string | undefined {
  const { CHROME_PATH: named, PATH: path = '' } = process.env;
  if (named !== undefined && named !== '') {
    if (!isProgram(named)) throw new Error(`CHROME_PATH: "${named}" is no program`);
    return named;
  }
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...places].find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
