import type { Bar } from './lines.ts';

const WIDTH = 900;
const LABELS = 260;
const LINE = 22;
const FIGURES = 90;

/** The bars as an SVG drawing, load by load, on one linear scale for each load. */
export function chartOf(title: string, bars: readonly Bar[]): string {
  const loads = [...new Set(bars.map(({ load }) => load))];
  const parts = [`<text x="8" y="22" font-size="15" font-weight="bold">${escaped(title)}</text>`];
  let y = 2 * LINE;
  for (const load of loads) {
    // a program that two sections measured has one bar
    const own = [...new Map(bars.filter((bar) => bar.load === load).map((bar) => [bar.label, bar])).values()];
    const most = Math.max(...own.map(({ value }) => value));
    parts.push(`<text x="8" y="${y}" font-weight="bold">${escaped(load)}</text>`);
    for (const bar of own)
      parts.push(barAt((y += LINE), bar, (bar.value / most) * (WIDTH - LABELS - FIGURES)));
    y += 2 * LINE;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="13">\n` +
    `<rect width="${WIDTH}" height="${y}" fill="#fff"/>\n${parts.join('\n')}\n</svg>\n`
  );
}

function barAt(y: number, { label, value }: Bar, length: number): string {
  const colour = label === 'this connector' ? '#1f6f43' : label === 'floor' ? '#9aa3ad' : '#c2703d';
  return (
    `<text x="${LABELS - 8}" y="${y}" text-anchor="end">${escaped(label)}</text>` +
    `<rect x="${LABELS}" y="${y - 12}" width="${length.toFixed(1)}" height="${LINE - 7}" fill="${colour}"/>` +
    `<text x="${(LABELS + length + 6).toFixed(1)}" y="${y}">${value.toPrecision(3)} s</text>`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
