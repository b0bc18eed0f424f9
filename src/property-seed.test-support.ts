// Setup of the unit tests: PROPERTY_SEED replays property tests with the seed that a failure or a soak run printed.
import { configureGlobal } from 'fast-check';

const seed = process.env['PROPERTY_SEED'];
if (seed !== undefined) configureGlobal({ seed: Number(seed) });
