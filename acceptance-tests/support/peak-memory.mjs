// Preloaded into the connector (node --import): writes its peak memory in KiB to PEAK_FILE when it exits.
import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)));
