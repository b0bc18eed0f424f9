import type { EndpointName } from '../../lists.ts';
import type { PageView } from '../page-view.ts';

/** Numbers, moments and durations for people. */
export function number(value: number): string {
  return value.toLocaleString('en');
}

export function moment(iso: string): string {
  return iso.replace('T', ' ').slice(0, 19);
}

export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

export function endpointsOf({ lists }: PageView): EndpointName[] {
  return ['token', ...lists.map(({ name }) => name)];
}
