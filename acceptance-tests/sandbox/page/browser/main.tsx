import { render } from 'preact';
import type { PageView } from '../page-view.ts';
import { Changes, Tokens } from './changes.tsx';
import { Faults } from './faults.tsx';
import { Select, type Act, type Call } from './forms.tsx';
import { ListMap } from './list-map.tsx';
import { Newest, Requests } from './requests.tsx';
import { moment, number } from './format.ts';

const pollMs = 500;
const world = decodeURIComponent(location.pathname.split('/')[2] ?? '');
const pathOf = (id: string): string => `/worlds/${encodeURIComponent(id)}`;
const visit = (id: string): void => location.assign(`${pathOf(id)}/page`);

/** The mark from which changes are shown; kept in the address for reloads. */
let since = Number(new URLSearchParams(location.hash.slice(1)).get('since') ?? 0);
let view: PageView | undefined;
let changes = 0; // incremented before and after each change, to discard views requested in between
let status = '';
let problem = '';

const call: Call = async (method, path, body) => {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(pathOf(world) + path, { method, ...init });
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : JSON.parse(text);
  throw new Error(`${method} ${path} failed with status ${response.status}: ${text}`);
};

const act: Act = (change) => {
  changes += 1;
  const done = change(call).finally(() => {
    changes += 1;
  });
  void done.then((text) => {
    status = text;
    return poll();
  }, showProblem);
};

/** Requests the view and shows it, unless a change has made it outdated. */
async function poll(): Promise<void> {
  const before = changes;
  try {
    const next = await call<PageView>('GET', `/view?since=${since}`);
    if (before !== changes) return;
    view = next;
    problem = '';
    render(<Page {...view} />, document.body);
  } catch (error) {
    showProblem(error);
  }
}

function showProblem(error: unknown): void {
  problem = `${error instanceof Error ? error.message : String(error)}. Is the sandbox still running?`;
  render(view === undefined ? problem : <Page {...view} />, document.body);
}

const reset = (): void =>
  act(async () => {
    await call('DELETE', '/requests');
    since = view?.mark ?? since;
    location.hash = `since=${since}`;
    return 'Requests and changes cleared.';
  });

function Page(shown: PageView) {
  const figures = [
    ...shown.lists.map(({ name, count }) => [`${name}-count`, name, number(count)]),
    ['clock', 'Clock of the world', moment(shown.now)],
    ['connection', 'This page', problem === '' ? 'live' : 'no response'],
  ];
  const worlds = Object.fromEntries(shown.worlds.map((id) => [id, id]));
  return (
    <>
      <div class="heading">
        <h1>Sandbox</h1>
        <Select label="World" choices={worlds} value={world} choose={visit} />
      </div>
      <p>
        A server on this machine that implements the API. Run a read against it in a terminal and watch its
        pages while the lists change. For curl, see <a href="/docs">all endpoints and knobs</a>.
      </p>
      <dl>
        {figures.map(([id, name, figure]) => (
          <div key={id}>
            <dt>{name}</dt>
            <dd id={id}>{figure}</dd>
          </div>
        ))}
      </dl>
      <p id="status" role="status" children={status} />
      <p id="problem" role="alert" children={problem} />
      <main>
        <div class="stack">
          {shown.lists.map((list) => (
            <ListMap key={list.name} list={list} reset={reset} />
          ))}
        </div>
        <div class="stack">
          <Changes view={shown} act={act} />
          <Tokens view={shown} act={act} />
        </div>
        <Faults view={shown} act={act} />
        <Requests view={shown} />
        <Newest lists={shown.lists} />
      </main>
    </>
  );
}

document.title = `Sandbox: ${world}`;
for (;;) {
  if (!document.hidden) await poll();
  await new Promise((resolve) => setTimeout(resolve, pollMs));
}
