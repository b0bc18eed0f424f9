import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EndpointName } from '../../lists.ts';
import type { LogEntry } from '../../request-log.ts';
import type { ListView, PageView } from '../page-view.ts';
import { Select } from './forms.tsx';
import { duration, moment, number } from './format.ts';

const width = 1000;
const spans: Readonly<Record<string, string>> = { 15: '15 seconds', 60: 'a minute', 600: '10 minutes' };
const logLength = 12;
const logColumns = ['Time', 'Endpoint', 'Request', 'Status', 'Rows', 'Duration'];

const hasFailed = (status: number): boolean => status < 200 || status > 299;
const statusText = (status: string | number): string => (Number(status) === 0 ? 'aborted' : String(status));

/** A timeline and a table of requests. */
export function Requests({ view }: { view: PageView }) {
  const [span, setSpan] = useState('60');
  const lines = view.last.slice(-logLength).toReversed().map(logLine);
  return (
    <section class="wide">
      <div class="heading">
        <h2>Requests</h2>
        <Select label="Show" choices={spans} value={span} choose={setSpan} />
      </div>
      <div id="timeline">
        {view.endpointNames.map((endpoint) => (
          <Lane key={endpoint} endpoint={endpoint} view={view} seconds={Number(span)} />
        ))}
      </div>
      <Table id="log" caption={`The last ${logLength} requests`} columns={logColumns} lines={lines} />
    </section>
  );
}

/** Each bar is a request. Its width is the duration; failed requests are tall and red. */
function Lane({ endpoint, view, seconds }: { endpoint: EndpointName; view: PageView; seconds: number }) {
  const start = Date.parse(view.realTime) - seconds * 1000;
  const scale = width / (seconds * 1000);
  const shown = view.last.filter(
    (request) => request.endpoint === endpoint && Date.parse(request.at) + request.ms > start,
  );
  const label = `${endpoint}: ${number(shown.length)} requests`;
  return (
    <div class="lane">
      <p>
        <b>{endpoint}</b> {summary(view, endpoint, shown)}
      </p>
      <svg viewBox={`0 0 ${width} 24`} preserveAspectRatio="none" role="img" aria-label={label}>
        {shown.map(({ number: key, at, ms, status }) => {
          const [look, y] = hasFailed(status) ? ['failed', 0] : ['fine', 8];
          const x = (Date.parse(at) - start) * scale;
          return <rect key={key} class={look} x={x} y={y} width={Math.max(2, ms * scale)} height={24 - y} />;
        })}
      </svg>
    </div>
  );
}

function summary(view: PageView, endpoint: EndpointName, shown: readonly LogEntry[]): string {
  const { count, rows, byStatus, maxInFlight } = view.endpoints[endpoint];
  if (count === 0) return 'no requests yet';
  const statuses = Object.entries(byStatus).map(([status, n]) => `${statusText(status)} × ${number(n)}`);
  const median = shown.map(({ ms }) => ms).toSorted((a, b) => a - b)[shown.length >> 1] ?? 0;
  const counted = `${number(count)} ${count === 1 ? 'request' : 'requests'} · ${number(rows)} rows`;
  return `${counted} · ${statuses.join(', ')} · at most ${number(maxInFlight)} concurrent · median ${duration(median)}`;
}

/** Keeps the end of a cursor. */
const shortened = (value: string): string => value.replace(/^.{21,}(?=.{12}$)/, '…');

function logLine({ number: key, at, endpoint, query, status, rows, ms }: LogEntry): Line {
  const parts = Object.entries(query).map(([name, value]) => `${name} ${shortened(value)}`);
  const what = endpoint === 'token' ? 'token' : parts.join(', ') || 'first page';
  const outcome = <span class={hasFailed(status) ? 'bad' : ''}>{statusText(status)}</span>;
  return { key, cells: [at.slice(11, 23), endpoint, what, outcome, number(rows), duration(ms)] };
}

export function Newest({ lists }: { lists: readonly ListView[] }) {
  const lines = lists.flatMap(({ name, newest }) =>
    newest.map(({ key, created, isNew, text }): Line => {
      return { key, cells: [isNew ? `${name}, new` : name, moment(created), <code>{text}</code>] };
    }),
  );
  return (
    <section class="wide">
      <h2>Newest rows, exactly as the API sends them</h2>
      <Table id="newest" caption="Newest rows" columns={['List', 'Created', 'Row']} lines={lines} />
    </section>
  );
}

type Line = { key: string | number; cells: ComponentChildren[] };
type TableProps = { id: string; caption: string; columns: readonly string[]; lines: readonly Line[] };

function Table({ id, caption, columns, lines }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody id={id}>
          {lines.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
