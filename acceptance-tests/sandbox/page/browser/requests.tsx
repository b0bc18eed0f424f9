import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EndpointName } from '../../lists.ts';
import type { Numbered } from '../coverage.ts';
import type { ListView, PageView } from '../page-view.ts';
import { Select } from './forms.tsx';
import { duration, hasFailed, moment, number, statusWords } from './words.ts';

const width = 1000;
const spans: Readonly<Record<string, string>> = { 15: '15 seconds', 60: 'a minute', 600: '10 minutes' };
const logged = 12;

/** Each request as a mark in time, and the last ones as a table. */
export function Requests({ view }: { view: PageView }) {
  const [span, setSpan] = useState('60');
  const endpoints = ['token', ...view.lists.map(({ name }) => name)] as const;
  return (
    <section class="wide">
      <div class="heading">
        <h2>What was asked</h2>
        <Select label="Show" choices={spans} value={span} choose={setSpan} />
      </div>
      <div id="timeline">
        {endpoints.map((endpoint) => (
          <Lane key={endpoint} endpoint={endpoint} view={view} seconds={Number(span)} />
        ))}
        <div class="axis" aria-hidden="true">
          <span>{spans[span]} ago</span>
          <span>now</span>
        </div>
      </div>
      <Table
        id="log"
        caption={`The last ${logged} requests`}
        columns={['Time', 'Endpoint', 'Asked for', 'Status', 'Rows', 'Latency']}
      >
        {view.requests.slice(-logged).toReversed().map(LogLine)}
      </Table>
    </section>
  );
}

/** A mark stands where its request began, is as wide as it took, and is tall and red if it failed. */
function Lane({ endpoint, view, seconds }: { endpoint: EndpointName; view: PageView; seconds: number }) {
  const start = Date.parse(view.realTime) - seconds * 1000;
  const scale = width / (seconds * 1000);
  const shown = view.requests.filter(
    (request) => request.endpoint === endpoint && Date.parse(request.at) + request.ms > start,
  );
  const label = `${endpoint}: ${number(shown.length)} requests in the time shown`;
  return (
    <div class="lane">
      <h3>{endpoint}</h3> <p>{summary(view, endpoint, shown)}</p>
      <svg viewBox={`0 0 ${width} 24`} preserveAspectRatio="none" role="img" aria-label={label}>
        {shown.map((request) => (
          <rect
            key={request.number}
            class={hasFailed(request.status) ? 'failed' : 'fine'}
            x={((Date.parse(request.at) - start) * scale).toFixed(1)}
            y={hasFailed(request.status) ? 0 : 8}
            width={Math.max(2, request.ms * scale).toFixed(1)}
            height={hasFailed(request.status) ? 24 : 16}
          />
        ))}
      </svg>
    </div>
  );
}

function summary(view: PageView, endpoint: EndpointName, shown: readonly Numbered[]): string {
  const { count, rows, byStatus, maxInFlight } = view.endpoints[endpoint];
  if (count === 0) return 'not asked yet';
  const statuses = Object.entries(byStatus).map(
    ([status, times]) => `${statusWords(status)} × ${number(times)}`,
  );
  const middle = shown.map(({ ms }) => ms).toSorted((a, b) => a - b)[shown.length >> 1];
  return [
    `${number(count)} ${count === 1 ? 'request' : 'requests'}`,
    ...(endpoint === 'token' ? [] : [`${number(rows)} rows`]),
    statuses.join(', '),
    `at most ${number(maxInFlight)} at once`,
    ...(middle === undefined ? [] : [`median ${duration(middle)}`]),
  ].join(' · ');
}

function LogLine({ number: key, at, endpoint, query, status, rows, ms }: Numbered) {
  return (
    <tr key={key}>
      <td>{at.slice(11, 23)}</td>
      <td>{endpoint}</td>
      <td class="asked">{endpoint === 'token' ? 'a token' : asked(query)}</td>
      <td class={hasFailed(status) ? 'bad' : ''}>{statusWords(status)}</td>
      <td class="number">{endpoint === 'token' ? '–' : number(rows)}</td>
      <td class="number">{duration(ms)}</td>
    </tr>
  );
}

/** Cursors are long, and their ends differ most. */
function asked(query: Numbered['query']): string {
  const parts = Object.entries(query).map(
    ([name, value]) => `${name} ${value.length <= 32 ? value : `…${value.slice(-12)}`}`,
  );
  return parts.length === 0 ? 'the first page' : parts.join(', ');
}

/** The newest rows of every list. */
export function Newest({ lists }: { lists: readonly ListView[] }) {
  return (
    <section class="wide">
      <h2>The newest rows</h2>
      <Table id="newest" caption="Exactly as the API sends them" columns={['List', 'Created', 'Row']}>
        {lists.flatMap(({ name, newest }) =>
          newest.map(({ id, created, cameIn, text }) => (
            <tr key={id}>
              <td>{cameIn ? `${name}, new` : name}</td>
              <td>{moment(created)}</td>
              <td>
                <code>{text}</code>
              </td>
            </tr>
          )),
        )}
      </Table>
    </section>
  );
}

type TableProps = Record<'id' | 'caption', string> & {
  columns: readonly string[];
  children: ComponentChildren;
};

function Table({ id, caption, columns, children }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" class={name === 'Rows' || name === 'Latency' ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody id={id}>{children}</tbody>
      </table>
    </div>
  );
}
