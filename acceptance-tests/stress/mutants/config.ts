import type { Mutant } from './mutant.ts';

/** Faults in what is read of a config. */
export const CONFIG_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/config/config.ts',
    text: 'Date.parse(start) > Date.parse(end)',
    planted: 'start > end',
    breaks: 'dates in different zones are compared as texts',
    nearest: ['src/config/config.test.ts'],
  },
  {
    file: 'src/config/loopback.ts',
    text: '/^(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])$/',
    planted: '/^(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])/',
    breaks: 'localhost.example.com passes for this machine',
    nearest: ['src/config/config.test.ts', 'src/http/proxy.test.ts'],
  },
  {
    file: 'src/config/json-file.ts',
    text: ".replace(/^\\uFEFF/, '')",
    planted: '',
    breaks: 'a byte order mark makes a config invalid',
    nearest: ['src/config/json-file.test.ts'],
  },
  {
    file: 'src/config/json-file.ts',
    text: '    if (open.length > DEEPEST) return faultAt(text, at, TOO_DEEP);\n',
    planted: '',
    breaks: 'a config of ten thousand brackets ends the process',
    nearest: ['src/config/json-file.test.ts'],
  },
];
