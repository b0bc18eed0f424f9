import type { Group } from './table.ts';

const WIDTH = 900;
const LABELS = 260;
const LINE = 22;
const FIGURES = 90;
const COLORS: Readonly<Record<string, string>> = { 'this connector': '#1f6f43', floor: '#9aa3ad' };

/** Renders the bars of all lines as SVG, with one linear scale per load. */
export function chartOf(groups: readonly Group[]): string {
  const loads = new Map<string, Readonly<Record<string, number>>>();
  // a program measured by two sections has one bar
  for (const { what, bars } of groups.flatMap(({ lines }) => lines))
    if (bars !== undefined) loads.set(what, { ...loads.get(what), ...bars });
  const parts = ['<text x="8" y="22" font-size="15" font-weight="bold">CPU for 100,000 rows</text>'];
  let y = 2 * LINE;
  for (const [load, bars] of loads) {
    const scale = (WIDTH - LABELS - FIGURES) / Math.max(...Object.values(bars));
    parts.push(`<text x="8" y="${y}" font-weight="bold">${load}</text>`);
    for (const [label, value] of Object.entries(bars)) {
      y += LINE;
      parts.push(barAt(y, label, value, scale));
    }
    y += 2 * LINE;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="13">\n` +
    `<rect width="${WIDTH}" height="${y}" fill="#fff"/>\n${parts.join('\n')}\n</svg>\n`
  );
}

function barAt(y: number, label: string, value: number, scale: number): string {
  const width = value * scale;
  return (
    `<text x="${LABELS - 8}" y="${y}" text-anchor="end">${label}</text>` +
    `<rect x="${LABELS}" y="${y - 12}" width="${width.toFixed(1)}" height="${LINE - 7}" fill="${COLORS[label] ?? '#c2703d'}"/>` +
    `<text x="${(LABELS + width + 6).toFixed(1)}" y="${y}">${value.toPrecision(3)} s</text>`
  );
}
