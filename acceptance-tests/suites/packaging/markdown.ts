import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository, textOf } from './versions.ts';

/** The first group of each match of a pattern. */
export const found = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, words = '']) => words);

const FENCE = /^```(\w*)\n([^]*?)^```$/gm;

/** The paths of all Markdown pages in the repository. */
export function pages(): string[] {
  const docs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' });
  const paths = [...readdirSync(repository), ...docs.map((path) => join('docs', path))];
  return paths.filter((path) => path.endsWith('.md'));
}

/** The targets of the links and pictures of a page, except in code. */
export function linksOf(page: string): string[] {
  const prose = textOf(page)
    .replaceAll(FENCE, '')
    .replaceAll(/`[^`\n]*`/g, '');
  return found(prose, /\]\(([^)\s]+)\)/g);
}

/** The anchors of the headings of a page, as GitHub makes them. */
export function anchorsOf(page: string): string[] {
  const headings = found(textOf(page).replaceAll(FENCE, ''), /^#{1,6} (.+)$/gm);
  return headings.map((words) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The fenced blocks of a text in a language. */
export function blocksOf(markdown: string, language: string): string[] {
  return [...markdown.matchAll(FENCE)].filter(([, name]) => name === language).map(([, , text = '']) => text);
}

/** The commands in the fenced shell blocks of a page, without comments. */
export const commandsOf = (page: string): string[] => commandsIn(textOf(page));

/** The commands in the fenced shell blocks of a text, without comments. */
export function commandsIn(markdown: string): string[] {
  const lines = blocksOf(markdown, 'sh').join('').replaceAll('\\\n', '').split('\n');
  return lines.map((line) => line.replace(/\s+# .*$/, '').trim()).filter((line) => line !== '');
}
