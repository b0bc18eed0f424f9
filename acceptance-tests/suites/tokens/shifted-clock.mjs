// Preloaded into the connector (node --import): its clock is ahead by the ms in CLOCK_FILE, which may change.
import { readFileSync } from 'node:fs';

const file = process.env['CLOCK_FILE'];
const now = Date.now;
Date.now = () => now() + Number(readFileSync(file, 'utf8'));
