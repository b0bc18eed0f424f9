import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/** A container of a Kubernetes manifest, as far as the checks run it. */
export interface PodContainer {
  readonly command: readonly string[];
  readonly args: readonly string[];
}

interface PodTemplate {
  readonly template: { readonly spec: { readonly containers: readonly [PodContainer] } };
}

/** The one code block of the README in a language that holds some words. Throws if there is not exactly one. */
export function readmeBlock(language: 'sh' | 'yaml', words: string): string {
  const blocks = readme.split(`\`\`\`${language}\n`).slice(1);
  const texts = blocks.map((block) => block.split('```')[0] ?? '').filter((text) => text.includes(words));
  const [text] = texts;
  if (text === undefined || texts.length > 1)
    throw new Error(`the README has ${texts.length} blocks of ${language} with ${words}, and not one`);
  return text;
}

/** The container of the README's manifest of a kind. */
export function readmeContainer(kind: 'CronJob' | 'Job'): PodContainer {
  const manifest = parse(readmeBlock('yaml', `kind: ${kind}\n`)) as {
    spec: PodTemplate & { jobTemplate: { spec: PodTemplate } };
  };
  const { template } = kind === 'Job' ? manifest.spec : manifest.spec.jobTemplate.spec;
  return template.spec.containers[0];
}
