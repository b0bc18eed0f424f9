// Preloaded into the connector (node --import): writes what it has used to USAGE_FILE when it exits.
import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.USAGE_FILE, JSON.stringify(process.resourceUsage())));
