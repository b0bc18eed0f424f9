import { useState } from 'preact/hooks';
import type { Range } from '../coverage.ts';
import type { ListView } from '../page-view.ts';
import { number } from './format.ts';

const maxBars = 30; // the maximum number of pages shown as bars, newest first

/** The rows of a list as cells, and the pages of the last read as bars that can be selected. */
export function ListMap({ list, reset }: { list: ListView; reset: () => void }) {
  const { name, count, says, shown, coverage } = list;
  const [selected, select] = useState<number>();
  const marked = coverage.pages.find((page) => page.number === selected)?.ranges ?? [];
  return (
    <section id={name}>
      <div class="heading">
        <h2>List of {name}</h2>
        <button class="reset" onClick={reset}>
          Reset
        </button>
      </div>
      <p>Each cell is a row, newest first. Its color shows whether the last command has received it.</p>
      <Cells list={list} marked={marked} />
      {says !== undefined && <p class="verdict">{`Verdict on the last client: ${says}.`}</p>}
      {shown < count && <p class="cut">{partText(list)}</p>}
      <h3>Pages of the last command</h3>
      <p>
        Each bar is a page, newest first, and shows the position of its rows. Select one to mark its cells.
      </p>
      <Bars list={list} selected={selected} select={select} />
    </section>
  );
}

function partText({ name, count, newer, shown }: ListView): string {
  const part =
    newer === 0
      ? `The newest ${number(shown)}`
      : `Rows ${number(newer + 1)} to ${number(newer + shown)}, newest first,`;
  return `${part} of ${number(count)} ${name}. The part follows the last page.`;
}

type BarsProps = { list: ListView; selected: number | undefined; select: (page: number | undefined) => void };

function Bars({ list: { inserted, deleted, coverage }, selected, select }: BarsProps) {
  const of = coverage.reads.length;
  const pages = coverage.pages.slice(-maxBars).toReversed();
  const changes = `Positions of ${number(lengthOf(inserted))} inserted and ${number(lengthOf(deleted))} deleted rows`;
  return (
    <>
      <div class="bar">
        <span>current list</span>
        <div class="track" role="img" aria-label={changes}>
          <Ranges ranges={inserted} of={of} look="new" />
          <Ranges ranges={deleted} of={of} look="deleted" />
        </div>
      </div>
      <ol class="bars">
        {pages.map(({ number: page, offset, rows, ranges }) => (
          <li key={page}>
            <button
              class="bar"
              aria-pressed={page === selected}
              onClick={() => select(page === selected ? undefined : page)}
            >
              <span>
                {offset === null
                  ? `${number(rows)} ${rows === 1 ? 'row' : 'rows'}`
                  : `${number(offset)} to ${number(offset + rows - 1)}`}
              </span>
              <span class="track">
                <Ranges ranges={ranges} of={of} look="" />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {pages.length === 0 && <p class="no-bars">No pages yet.</p>}
    </>
  );
}

function Cells({ list, marked }: { list: ListView; marked: readonly Range[] }) {
  const { name, coverage, inserted, deleted, judged } = list;
  const looks = coverage.reads.map((pages) => ['unread', 'once'][pages] ?? 'again');
  addLook(looks, inserted, 'new');
  addLook(looks, deleted, 'deleted');
  const counted = (look: string): string =>
    number(looks.filter((one) => one.replace(' new', '') === look).length);
  const verdicts = Object.entries(judged).filter(([, ranges]) => ranges.length > 0);
  const legend = {
    unread: `unread: ${counted('unread')}`,
    once: `on one page: ${counted('once')}`,
    again: `on several pages: ${counted('again')}`,
    'unread new': `inserted: ${number(lengthOf(inserted))}`,
    'unread deleted': `deleted: ${number(lengthOf(deleted))}`,
    ...Object.fromEntries(
      verdicts.map(([look, ranges]) => [`unread ${look}`, `${look} by client: ${number(lengthOf(ranges))}`]),
    ),
  };
  for (const [look, ranges] of verdicts) addLook(looks, ranges, look);
  addLook(looks, marked, 'marked');
  return (
    <>
      <div class="map" role="img" aria-label={`Cells of ${name}: ${Object.values(legend).join(', ')}`}>
        {looks.map((look, index) => (
          <i key={index} class={look} />
        ))}
      </div>
      <ul class="legend">
        {Object.entries(legend).map(([look, text]) => (
          <li key={look}>
            <i class={look} aria-hidden="true" /> {text}
          </li>
        ))}
      </ul>
    </>
  );
}

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
