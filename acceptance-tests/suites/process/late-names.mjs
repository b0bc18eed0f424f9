// Preloaded into the connector: `late.example` cannot be resolved before NAMES_AFTER_MS have passed, and is this machine from then on.
import dns from 'node:dns';

const resolve = dns.lookup;
const startMs = Date.now();
dns.lookup = (host, options, callback) => {
  const isKnown = Date.now() - startMs >= Number(process.env['NAMES_AFTER_MS']);
  const error = Object.assign(new Error(`getaddrinfo EAI_AGAIN ${host}`), { code: 'EAI_AGAIN' });
  if (host !== 'late.example') resolve(host, options, callback);
  else if (isKnown) resolve('127.0.0.1', options, callback);
  else setImmediate(() => callback(error));
};
