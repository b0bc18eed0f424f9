import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** The machine in one line: figures of two machines cannot be compared, their ratios hardly. */
export function describeMachine(): string {
  const gib = (totalmem() / 1024 ** 3).toFixed(0);
  const [model] = cpus();
  return (
    `${availableParallelism()} x ${model?.model ?? 'unknown processor'}, ${gib} GiB, ${type()} ${release()}, ` +
    `Node.js ${process.version}, load ${(loadavg()[0] ?? 0).toFixed(1)} at the start`
  );
}
