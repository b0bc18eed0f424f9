import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository, textOf } from './versions.ts';

const FENCE = /^```(\w*)\n([^]*?)^```$/gm;

/** All pages in Markdown, by their paths in the repository. */
export function pages(): string[] {
  const docs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' });
  return [...readdirSync(repository), ...docs.map((path) => join('docs', path))]
    .filter((path) => path.endsWith('.md'))
    .toSorted();
}

/** Where the links and pictures of a page lead, as written; what is code is no link. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replaceAll(FENCE, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
}

/** The anchors of a page: its headings as forges turn them into names. */
export function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replaceAll(FENCE, '').matchAll(/^#{1,6} (.+)$/gm)];
  return headings.map(([, words = '']) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The fenced blocks of a page in a language. */
export function blocksOf(markdown: string, language: string): string[] {
  return [...markdown.matchAll(FENCE)].filter(([, name]) => name === language).map(([, , text = '']) => text);
}

/** The commands in the fenced shell blocks of a page, one each, without what is said behind them. */
export function commandsOf(page: string): string[] {
  return blocksOf(textOf(page), 'sh')
    .flatMap((block) => block.replaceAll('\\\n', '').split('\n'))
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '');
}
