import { expect, test } from 'vitest';
import { temporaryFile } from '../config/temporary-file.test-support.ts';
import { trustAdvice } from './exchange-error.ts';

const advice = (path: string): string => trustAdvice({ NODE_EXTRA_CA_CERTS: path });

test('the advice for an unknown issuer says what is wrong with the file that NODE_EXTRA_CA_CERTS names', () => {
  expect(advice('')).toBe(
    "set NODE_EXTRA_CA_CERTS to a file with the issuer's certificate. Verification cannot be disabled.",
  );
  expect(advice('/no/such.pem')).toBe(
    'note that NODE_EXTRA_CA_CERTS is "/no/such.pem", which cannot be read (ENOENT).',
  );
  expect(advice(import.meta.dirname)).toMatch(/which cannot be read \(EISDIR\)\.$/);
  expect(advice(temporaryFile('DER'))).toMatch(/which contains no certificate in the PEM format\.$/);
  const pem = temporaryFile('-----BEGIN CERTIFICATE-----\n');
  expect(advice(pem)).toMatch(/which does not contain the issuer's certificate\.$/);
});
