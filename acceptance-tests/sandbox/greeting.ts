import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import type { SandboxConfig } from './client-types.ts';

/** Writes the config of a world to a file, making its folder if need be, and gives the text that tells a person what to do next. */
export async function greet(
  url: string,
  world: { id: string; config: SandboxConfig },
  configFile: string,
): Promise<string> {
  const config = `${JSON.stringify(world.config, undefined, 2)}\n`;
  await mkdir(dirname(configFile), { recursive: true });
  await writeFile(configFile, config);
  const path = relative(process.cwd(), configFile);
  const at = `${url}/worlds/${world.id}`;
  const post = `curl -s -H 'content-type: application/json'`;
  return `
The sandbox is running at ${url} (this machine only). Ctrl-C ends it.
  a page to watch it and to change it:          ${at}/page
  every endpoint and knob, to look at and try:  ${url}/docs

A config for its world "${world.id}" is in ${path}:
${config}
Try in another terminal, after "npm run build":
  node dist/main.js check --config ${path}
  node dist/main.js discover --config ${path}
  node dist/main.js read --config ${path}

Change the world, also while a read is running:
  ${post} ${at}/assets/insert -d '{"count": 10}'
  ${post} ${at}/assets/delete -d '{"count": 5, "at": "random"}'
  ${post} ${at}/alarms/arrive -d '{"count": 3}'
  ${post} ${at}/clock -d '{"advanceSeconds": 3600}'
  ${post} -X PATCH ${at}/knobs -d '{"latencyMs": 200, "assetsLimitCap": 100}'

Let it fail, and see how the connector takes that ({} lifts it; all faults are at /docs):
  ${post} -X PUT ${at}/faults -d '{"assets": {"fault": "status503", "at": "random", "times": null}}'

See what is true, and what was asked for:
  curl -s ${at}/truth
  curl -s ${at}/truth/assets
  curl -s '${at}/requests?last=10'
`;
}
