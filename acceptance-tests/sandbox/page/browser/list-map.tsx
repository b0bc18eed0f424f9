import { useState } from 'preact/hooks';
import type { Range } from '../coverage.ts';
import type { ListView, MapView } from '../page-view.ts';
import { number } from './words.ts';

/** Pages that have a line, the last ones. */
const pagesShown = 30;

interface Props {
  list: ListView;
  map: MapView;
  startAfresh: () => void;
}

/** Each row as a cell, and the pages of the last read drawn over them, each as a line that can be chosen. */
export function ListMap({ list: { name, count }, map, startAfresh }: Props) {
  const [chosen, choose] = useState<number>();
  const { reads, pages } = map.coverage;
  const lines = pages.slice(-pagesShown).toReversed();
  const changes = `Where rows came in and went: ${number(lengthOf(map.cameIn))} came in, ${number(lengthOf(map.gone))} went`;
  return (
    <section id={name}>
      <div class="heading">
        <h2>The list of {name}</h2>
        <button type="button" class="afresh" onClick={startAfresh}>
          Start afresh
        </button>
      </div>
      <p>
        Each cell is a row, in the order of the API: the newest is first. Colours tell what the last read has
        brought of it. What came in or went since you started afresh is marked.
      </p>
      <Cells name={name} map={map} marked={pages.find((page) => page.number === chosen)?.ranges ?? []} />
      {map.shown < count && (
        <p class="cut">
          Shown is the head of the list: {`${number(map.shown)} of ${number(count)} ${name}.`}
        </p>
      )}

      <h3>Pages of the last read, over the list</h3>
      <p>
        Each line is a page, the newest first, drawn over the rows that it held, wherever these stand by now.
        A reader that lets its pages overlap sees whether the list moved between them. Choose a page to see
        its cells above.
      </p>
      <div class="bar">
        <span>the list now</span>
        <div class="track now" role="img" aria-label={changes}>
          <Ranges ranges={map.cameIn} of={reads.length} look="tick" />
          <Ranges ranges={map.gone} of={reads.length} look="tick gone" />
        </div>
      </div>
      <ol class="bars">
        {lines.map((page) => (
          <li key={page.number}>
            <button
              type="button"
              class="bar"
              aria-pressed={page.number === chosen}
              onClick={() => choose(page.number === chosen ? undefined : page.number)}
            >
              <span>{`${number(page.offset)} to ${number(page.offset + page.rows - 1)}`}</span>
              <span class="track">
                <Ranges ranges={page.ranges} of={reads.length} look="page" />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {pages.length === 0 && (
        <p class="no-bars">
          No page yet. Try:{' '}
          <code>node dist/main.js read --config .work/sandbox-config.json &gt; out.jsonl</code>
        </p>
      )}
    </section>
  );
}

function Cells({ name, map, marked }: { name: string; map: MapView; marked: readonly Range[] }) {
  const { reads } = map.coverage;
  const looks = reads.map((times) => ['unread', 'once'][times] ?? 'again');
  const cameIn = addLook(looks, map.cameIn, 'new');
  const gone = addLook(looks, map.gone, 'gone');
  addLook(looks, marked, 'marked');
  const living = looks.filter((look) => !look.includes('gone'));
  const counted = (look: string): number => living.filter((one) => one.startsWith(look)).length;
  const legend = [
    { look: 'unread', words: `not read: ${number(counted('unread'))}` },
    { look: 'once', words: `on one page: ${number(counted('once'))}` },
    { look: 'again', words: `on more pages: ${number(counted('again'))}` },
    { look: 'unread new', words: `came in: ${number(cameIn)}` },
    { look: 'unread gone', words: `went: ${number(gone)}` },
  ];
  const summary = `The list of ${name}, one cell for each: ${legend.map(({ words }) => words).join(', ')}`;
  return (
    <>
      <div class="map" role="img" aria-label={summary}>
        {looks.map((look, index) => (
          <i key={index} class={look} />
        ))}
      </div>
      <ul class="legend">
        {legend.map(({ look, words }) => (
          <li key={look}>
            <i class={look} aria-hidden="true" /> {words}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Gives the cells of the ranges one more look, and how many they are. */
function addLook(looks: string[], ranges: readonly Range[], look: string): number {
  for (const [start, end] of ranges)
    for (let index = start; index < end; index += 1) looks[index] += ` ${look}`;
  return lengthOf(ranges);
}

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [start, end]) => sum + end - start, 0);
}

function Ranges({ ranges, of, look }: { ranges: readonly Range[]; of: number; look: string }) {
  return (
    <>
      {ranges.map(([start, end]) => (
        <span
          key={start}
          class={look}
          style={{ left: `${(100 * start) / of}%`, width: `${(100 * (end - start)) / of}%` }}
        />
      ))}
    </>
  );
}
