import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createInputs } from './open-file.ts';
import { loadState } from './state-input.ts';
import { temporaryDirectory, temporaryFile } from './temporary-file.test-support.ts';

const { signal } = new AbortController();
const openInput = createInputs(signal);

function fifo(): string {
  const path = join(temporaryDirectory(), 'fifo');
  spawnSync('mkfifo', [path]);
  return path;
}

test('a file, a link to a file and an empty device can be read', async () => {
  const file = temporaryFile('text');
  symlinkSync(file, `${file}-link`);
  expect((await buffer(openInput(file))).toString()).toBe('text');
  expect((await buffer(openInput(`${file}-link`))).toString()).toBe('text');
  expect((await buffer(openInput('/dev/null'))).toString()).toBe('');
});

test('a FIFO is read from its first writer to its end, however late the writer comes', async () => {
  const path = fifo();
  const read = buffer(openInput(path));
  // what is taken for an empty file ends here
  await Promise.race([read, delay(100)]);
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  writeSync(writer, 'a');
  await new Promise((resolve) => setImmediate(resolve));
  writeSync(writer, 'b');
  closeSync(writer);
  expect((await read).toString()).toBe('ab');
});

test('a pipe is no second input, by whatever name, but a file may be read again', async () => {
  const open = createInputs(signal);
  const path = fifo();
  symlinkSync(path, `${path}-link`);
  const read = buffer(open(path));
  writeFileSync(path, '{}');
  expect((await read).toString()).toBe('{}');
  for (const again of [path, `${path}-link`])
    await expect(loadState(again, [], open)).rejects.toThrow(
      `state ${again}: can be read only once, and was read already, for another input; give each input a file or pipe of its own.`,
    );
  const file = temporaryFile('text');
  for (let time = 0; time < 2; time++) expect((await buffer(open(file))).toString()).toBe('text');
});

test('the signal ends the read of a FIFO that delivers nothing, with and without a writer', async () => {
  for (const hasWriter of [false, true]) {
    const path = fifo();
    const stop = new AbortController();
    const read = buffer(createInputs(stop.signal)(path));
    const writer = hasWriter ? openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) : null;
    stop.abort();
    await expect(read).rejects.toThrow('abort');
    if (writer !== null) closeSync(writer);
  }
});

test('an anonymous pipe can be read even after its writer closed it', () => {
  const script = `import { buffer } from 'node:stream/consumers';
    const { createInputs } = await import(${JSON.stringify(join(import.meta.dirname, 'open-file.ts'))});
    const open = createInputs(new AbortController().signal);
    for (const path of process.argv.slice(1)) console.log(String(await buffer(open(path))));`;
  const file = join(temporaryDirectory(), 'script.mjs');
  writeFileSync(file, script);
  const command = `"$0" --import tsx "$1" <(true) <(sleep 0.2; printf late) <(printf soon)`;
  const { stdout, stderr } = spawnSync(
    'bash',
    ['-c', command.replace('"$1"', '--input-type=module -e "$(cat "$1")"'), process.execPath, file],
    { encoding: 'utf8' },
  );
  expect([stdout, stderr]).toStrictEqual(['\nlate\nsoon\n', '']);
});
