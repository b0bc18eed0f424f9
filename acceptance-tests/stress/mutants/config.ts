import { plantedIn } from './mutant.ts';

/** Faults in what is read of a config. */
export const CONFIG_MUTANTS = [
  ...plantedIn('src/config/config.ts', ['src/config/config.test.ts'], {
    'dates in different zones are compared as texts': '«Date.parse(start) > Date.parse(end) → start > end»',
  }),
  ...plantedIn('src/config/loopback.ts', ['src/config/config.test.ts', 'src/http/proxy.test.ts'], {
    'localhost.example.com passes for this machine': '/^(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])«$ → »/',
  }),
  ...plantedIn('src/config/json-file.ts', ['src/config/json-file.test.ts'], {
    'a byte order mark makes a config invalid': "«.replace(/^\\uFEFF/, '') → »",
    'a config of ten thousand brackets ends the process':
      '«    if (open.length > DEEPEST) return faultAt(text, at, TOO_DEEP);\n → »',
  }),
];
