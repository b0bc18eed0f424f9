export const number = (value: number): string => value.toLocaleString('en');
export const moment = (iso: string): string => iso.replace('T', ' ').slice(0, 19);

export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
