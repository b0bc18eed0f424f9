// The commands that need a config, loaded as one: they are made of the same parts, and for Node.js a second file is
// slower to load than a longer one.
export { runCheck } from './check.ts';
export { runDiscover } from './discover.ts';
export { runRead } from './read.ts';
