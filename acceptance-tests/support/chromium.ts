import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a Chromium, from `CHROME_PATH` or the PATH, or undefined if there is none. */
export function findChromium(): string | undefined {
  const { CHROME_PATH: configured = '', PATH: path = '' } = process.env;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
  const onPath = path.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  return configured === '' ? [...onPath, mac].find((file) => existsSync(file)) : configured;
}
