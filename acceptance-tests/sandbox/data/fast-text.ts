/** Texts that every row needs many of, made faster than the general means of the language make them. */
const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const twoDigits = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));
const days = new Map<number, string>();

/** 16 bits as 4 hex digits. */
export function hex16(bits: number): string {
  return `${hexBytes[(bits >>> 8) & 255]}${hexBytes[bits & 255]}`;
}

/** 32 bits as 8 hex digits. */
export function hex32(bits: number): string {
  return hex16(bits >>> 16) + hex16(bits);
}

/** A whole number below 10^6 as 6 digits. */
export function sixDigits(value: number): string {
  return `${threeDigits[Math.floor(value / 1000)]}${threeDigits[value % 1000]}`;
}

/** `2025-01-31T23:59:59` for milliseconds since 1970 UTC; what is finer is left out. */
export function isoSeconds(ms: number): string {
  const day = Math.floor(ms / 86_400_000);
  let text = days.get(day);
  if (text === undefined) {
    text = new Date(day * 86_400_000).toISOString().slice(0, 11);
    days.set(day, text);
  }
  const second = Math.floor(ms / 1000) - day * 86_400;
  return `${text}${twoDigits[Math.floor(second / 3600)]}:${twoDigits[Math.floor(second / 60) % 60]}:${twoDigits[second % 60]}`;
}

/** `2025-01-31T23:59:59.999` for whole milliseconds since 1970 UTC. */
export function isoMilliseconds(ms: number): string {
  return `${isoSeconds(ms)}.${threeDigits[ms - Math.floor(ms / 1000) * 1000]}`;
}
