import type { Bar } from './report-types.ts';

const WIDTH = 900;
const LABELS = 360;
const LINE = 24;
const FIGURES = 80;

/** The bars as an SVG drawing, on a logarithmic scale: contenders lie orders of magnitude apart. */
export function chartOf(title: string, bars: readonly Bar[]): string {
  const least = Math.min(...bars.map(({ value }) => value)) / 2;
  const most = Math.max(...bars.map(({ value }) => value));
  const room = WIDTH - LABELS - FIGURES;
  const lengthOf = (value: number): number => (Math.log(value / least) / Math.log(most / least)) * room;
  const lines = bars.map(({ label, value }, index) => {
    const y = LINE * (index + 2);
    const length = lengthOf(value).toFixed(1);
    return (
      `<text x="${LABELS - 8}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>` +
      `<rect x="${LABELS}" y="${y + 3}" width="${length}" height="${LINE - 8}" fill="${colour(label)}"/>` +
      `<text x="${(LABELS + Number(length) + 6).toFixed(1)}" y="${y + 15}">${value.toPrecision(3)}</text>`
    );
  });
  const height = LINE * (bars.length + 3);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">\n` +
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>\n` +
    `<text x="8" y="24" font-size="15" font-weight="bold">${escaped(title)}</text>\n${lines.join('\n')}\n</svg>\n`
  );
}

function colour(label: string): string {
  return label.endsWith('connector') ? '#1f6f43' : label.endsWith('floor') ? '#9aa3ad' : '#c2703d';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
