import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface JobSpec {
  readonly podFailurePolicy: {
    readonly rules: readonly {
      readonly action: string;
      readonly onExitCodes: {
        readonly containerName: string;
        readonly operator: string;
        readonly values: readonly number[];
      };
    }[];
  };
  readonly template: {
    readonly spec: {
      readonly restartPolicy: string;
      readonly containers: readonly { readonly name: string }[];
    };
  };
}

/** The spec of the Job in a manifest; a CronJob contains one. */
function jobIn(file: string): JobSpec {
  const { kind, spec } = parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as {
    kind: string;
    spec: JobSpec & { jobTemplate: { spec: JobSpec } };
  };
  return kind === 'CronJob' ? spec.jobTemplate.spec : spec;
}

test.each(['cronjob.yaml', 'past-job.yaml'])(
  '%s: pods are repeated after temporary failures only',
  (file) => {
    const { podFailurePolicy, template } = jobIn(file);
    // Kubernetes rejects a policy for pods that restart by themselves
    expect(template.spec.restartPolicy).toBe('Never');
    const names = template.spec.containers.map(({ name }) => name);
    const [rule] = podFailurePolicy.rules;
    expect(rule).toStrictEqual({
      action: 'FailJob',
      onExitCodes: { containerName: names[0], operator: 'In', values: [1, 2] },
    });
    const page = readFileSync(join(import.meta.dirname, '../docs/deploying.md'), 'utf8');
    const [, shown = ''] = /```yaml\n(podFailurePolicy:[^`]*)```/.exec(page) ?? [];
    expect(parse(shown)).toStrictEqual({ podFailurePolicy });
  },
);
