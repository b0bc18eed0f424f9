import { useState } from 'preact/hooks';
import type { Range } from '../coverage.ts';
import type { ListView } from '../page-view.ts';
import { number } from './words.ts';

/** Pages that have a line, the last ones. */
const pagesShown = 30;
type Props = { list: ListView; startAfresh: () => void };

/** Each row as a cell, and the pages of the last read drawn over them, each as a line that can be chosen. */
export function ListMap({ list: { name, count, map }, startAfresh }: Props) {
  const [chosen, choose] = useState<number>();
  if (map === undefined) return null;
  const { cameIn, gone, shown, coverage } = map;
  const of = coverage.reads.length;
  const lines = coverage.pages.slice(-pagesShown).toReversed();
  const marked = coverage.pages.find((page) => page.number === chosen)?.ranges ?? [];
  const changes = `Where rows came in and went: ${number(lengthOf(cameIn))} came in, ${number(lengthOf(gone))} went`;
  return (
    <section id={name}>
      <div class="heading">
        <h2>The list of {name}</h2>
        <button class="afresh" onClick={startAfresh}>
          Start afresh
        </button>
      </div>
      <p>Each cell is a row, the newest first. Colours tell what the last read has brought of it.</p>
      <Cells name={name} map={map} marked={marked} />
      {map.says !== undefined && <p class="verdict">{`Verdict on the last client: ${map.says}.`}</p>}
      {shown < count && <p class="cut">{`The first ${number(shown)} of ${number(count)} ${name}.`}</p>}
      <h3>Pages of the last read, over the list</h3>
      <p>Each line is a page, the newest first, over its rows; choose one to see its cells above.</p>
      <div class="bar">
        <span>the list now</span>
        <div class="track" role="img" aria-label={changes}>
          <Ranges ranges={cameIn} of={of} look="new" />
          <Ranges ranges={gone} of={of} look="gone" />
        </div>
      </div>
      <ol class="bars">
        {lines.map(({ number: page, offset, rows, ranges }) => {
          const isChosen = page === chosen;
          const press = (): void => choose(isChosen ? undefined : page);
          return (
            <li key={page}>
              <button class="bar" aria-pressed={isChosen} onClick={press}>
                <span>{`${number(offset)} to ${number(offset + rows - 1)}`}</span>
                <span class="track">
                  <Ranges ranges={ranges} of={of} look="" />
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      {lines.length === 0 && <p class="no-bars">No page yet.</p>}
    </section>
  );
}

type CellsProps = { name: string; map: NonNullable<ListView['map']>; marked: readonly Range[] };

function Cells({ name, map, marked }: CellsProps) {
  const looks = map.coverage.reads.map((times) => ['unread', 'once'][times] ?? 'again');
  addLook(looks, map.cameIn, 'new');
  addLook(looks, map.gone, 'gone');
  const judged = Object.entries(map.judged).filter(([, ranges]) => ranges.length > 0);
  const counted = (look: string): string =>
    number(looks.filter((one) => one.replace(' new', '') === look).length);
  const legend = {
    unread: `not read: ${counted('unread')}`,
    once: `on one page: ${counted('once')}`,
    again: `on more pages: ${counted('again')}`,
    'unread new': `came in: ${number(lengthOf(map.cameIn))}`,
    'unread gone': `went: ${number(lengthOf(map.gone))}`,
    ...Object.fromEntries(
      judged.map(([look, ranges]) => [
        `unread ${look}`,
        `${look} by your client: ${number(lengthOf(ranges))}`,
      ]),
    ),
  };
  for (const [look, ranges] of judged) addLook(looks, ranges, look);
  addLook(looks, marked, 'marked');
  const summary = `The list of ${name}, one cell for each: ${Object.values(legend).join(', ')}`;
  return (
    <>
      <div class="map" role="img" aria-label={summary}>
        {looks.map((look, index) => (
          <i key={index} class={look} />
        ))}
      </div>
      <ul class="legend">
        {Object.entries(legend).map(([look, words]) => (
          <li key={look}>
            <i class={look} aria-hidden="true" /> {words}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Gives the cells of the ranges one more look. */
function addLook(looks: string[], ranges: readonly Range[], look: string): void {
  for (const [start, end] of ranges)
    for (let index = start; index < end; index += 1) looks[index] += ` ${look}`;
}

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [start, end]) => sum + end - start, 0);
}

function Ranges({ ranges, of, look }: { ranges: readonly Range[]; of: number; look: string }) {
  const percent = (cells: number): string => `${(100 * cells) / of}%`;
  return ranges.map(([start, end]) => (
    <span key={start} class={look} style={{ left: percent(start), width: percent(end - start) }} />
  ));
}
