import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '../../deploy');

/** A container of a Kubernetes manifest, as far as the checks run it. */
export interface PodContainer {
  readonly command: readonly string[];
  readonly args: readonly string[];
}

interface PodTemplate {
  readonly template: { readonly spec: { readonly containers: readonly [PodContainer] } };
}

/** The text of a file of `deploy`. */
export function deployFile(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** The container of the manifest of a kind. */
export function manifestContainer(kind: 'CronJob' | 'Job'): PodContainer {
  const manifest = parse(deployFile(kind === 'Job' ? 'past-job.yaml' : 'cronjob.yaml')) as {
    spec: PodTemplate & { jobTemplate: { spec: PodTemplate } };
  };
  const { template } = kind === 'Job' ? manifest.spec : manifest.spec.jobTemplate.spec;
  return template.spec.containers[0];
}
