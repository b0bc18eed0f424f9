import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useTestBed } from '../../support/test-bed.ts';
import { commandsOf } from '../../suites/packaging/markdown.ts';
import { textOf } from '../../suites/packaging/versions.ts';
import { exitCodeOf, newFolder, savedAlarms } from './containers.ts';
import { canRunImages, engine, image, tool } from './image.ts';

/** Creates a folder with a `docker` command that runs the image under a name, with a volume of that name for `tokens`. */
async function dockerHome() {
  const folder = await newFolder();
  const name = `docker-${basename(folder)}`;
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/docker'), dockerStandIn(name), { mode: 0o755 });
  onTestFinished(async () => {
    await engine('volume', 'rm', '--force', name);
  });
  const path = `PATH=${folder}/bin:$PATH`;
  return { folder, name, run: (script: string) => exitCodeOf(folder, 'sh', '-ec', `${path}\n${script}`) };
}

/** Replaces docker. It runs the image that has been built, whatever its version, always in the network of the host. */
function dockerStandIn(name: string): string {
  return `#!/bin/bash
[ "$1" = build ] && exit 0
shift
args=()
for arg in "\${@/#tokens:/${name}:}"; do [ "$arg" = --network=host ] || args+=("$arg"); done
exec ${tool} run --name=${name} "\${args[@]/#source-trailer-data*/${image}}"
`;
}

describe.runIf(canRunImages)('by docker', () => {
  const bed = useTestBed();

  test.each(['README.md', 'docs/running.md'])(
    'the commands of %s and deploy/run.sh succeed and share one token',
    async (page) => {
      const commands = commandsOf(page).filter((command) => command.startsWith('docker '));
      expect(commands.length).toBeGreaterThan(1);
      const world = await bed.world({ assets: 60, alarms: 60 });
      const { folder, run } = await dockerHome();
      await mkdir(join(folder, 'data'));
      await chmod(join(folder, 'data'), 0o755);
      await writeFile(join(folder, 'data/config.json'), JSON.stringify(world.config));
      for (const command of commands) expect(await run(command), command).toBe(0);
      const saved = await readFile(join(folder, 'data/out.jsonl'), 'utf8');
      expect(saved.match(/^\{"type":"RECORD"/gm)).toHaveLength(120);
      await writeFile(join(folder, 'data/run.sh'), textOf('deploy/run.sh'), { mode: 0o755 });
      expect(await run('data/run.sh')).toBe(0);
      expect(await savedAlarms(join(folder, 'data'))).toHaveLength(60);
      expect((await world.requests(0)).tokens.issued).toBe(1);
    },
  );
});
