// Loaded into a process of the connector before it starts (node --import). The program is the one that ships; only its
// clock is ahead by as many ms as CLOCK_FILE says, at this moment. Plain JavaScript: nothing could translate it there.
import { readFileSync } from 'node:fs';

const file = process.env['CLOCK_FILE'];
const now = Date.now;
Date.now = () => now() + Number(readFileSync(file, 'utf8'));
