// Loaded into a process of the connector before it starts (node --import): at its end it writes its peak memory, in KiB, into
// PEAK_FILE. A process that is killed, or dies of its memory, writes nothing.
import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)));
