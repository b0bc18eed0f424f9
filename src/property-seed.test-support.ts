// Setup of the unit tests: PROPERTY_SEED replays property tests with the seed that a failure or a soak run printed.
const seed = process.env['PROPERTY_SEED'];
if (seed !== undefined) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(seed) });
}

export {};
