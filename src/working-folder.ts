/** The current folder by a name that needs no lookup, and below which nothing can be created if it is gone. */
const NAMELESS = '/proc/self/cwd';

/** Makes `process.cwd()` return a path also if the current folder was deleted, where libraries would fail as they are loaded. */
function surviveDeletedFolder(): void {
  try {
    process.cwd();
  } catch {
    process.cwd = () => NAMELESS;
  }
}

surviveDeletedFolder();
