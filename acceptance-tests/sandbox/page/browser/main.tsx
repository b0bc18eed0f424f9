import { render } from 'preact';
import type { PageView } from '../page-view.ts';
import { Changes, Tokens } from './changes.tsx';
import { Faults } from './faults.tsx';
import { Select } from './forms.tsx';
import type { Act, Call } from './forms.tsx';
import { ListMap } from './list-map.tsx';
import { Newest, Requests } from './requests.tsx';
import { moment, number } from './words.ts';

const pollMs = 500;
const world = decodeURIComponent(location.pathname.split('/')[2] ?? '');
const pathOf = (id: string): string => `/worlds/${encodeURIComponent(id)}`;
const visit = (id: string): void => location.assign(`${pathOf(id)}/page`);

/** The mark that changes are shown from; in the address, so that it outlives a reload. */
let since = Number(new URLSearchParams(location.hash.slice(1)).get('since') ?? 0);
let view: PageView | undefined;
/** Differs before and after anything is changed from here, so that a view from in between can be thrown away. */
let changes = 0;
let [said, trouble] = ['', ''];

const call: Call = async (method, path, body) => {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(pathOf(world) + path, { method, ...init });
  const text = await answer.text();
  if (answer.ok) return text === '' ? undefined : JSON.parse(text);
  throw new Error(`${method} ${path} was refused with ${answer.status}: ${text}`);
};

const act: Act = (change) => {
  changes += 1;
  const done = change(call).finally(() => void (changes += 1));
  void done.then((words) => {
    said = words;
    return poll();
  }, complain);
};

/** Asks for everything once and shows it, unless something was changed meanwhile: then it may be old. */
async function poll(): Promise<void> {
  const before = changes;
  try {
    const next = await call<PageView>('GET', `/view?since=${since}`);
    if (before !== changes) return;
    [view, trouble] = [next, ''];
    render(<Page {...view} />, document.body);
  } catch (error) {
    complain(error);
  }
}

function complain(error: unknown): void {
  trouble = `${error instanceof Error ? error.message : String(error)}. Is the sandbox still running?`;
  render(view === undefined ? trouble : <Page {...view} />, document.body);
}

const startAfresh = (): void =>
  act(async () => {
    await call('DELETE', '/requests');
    since = view?.mark ?? since;
    location.hash = `since=${since}`;
    return 'All that was is forgotten.';
  });

function Page(shown: PageView) {
  const figures = [
    ...shown.lists.map(({ name, count }) => [`${name}-count`, name, number(count)]),
    ['clock', 'Clock of the world', moment(shown.now)],
    ['connection', 'This page', trouble === '' ? 'live' : 'no answer'],
  ];
  const worlds = Object.fromEntries(shown.worlds.map((id) => [id, id]));
  return (
    <>
      <div class="heading">
        <h1>Sandbox</h1>
        <Select label="World" choices={worlds} value={world} choose={visit} />
      </div>
      <p>
        A server on this machine that speaks the asset and alarm API. Run a read against it in a terminal, and
        watch how the pages follow a list that moves. With curl: <a href="/docs">every endpoint and knob</a>.
      </p>
      <dl>
        {figures.map(([id, name, figure]) => (
          <div key={id}>
            <dt>{name}</dt>
            <dd id={id}>{figure}</dd>
          </div>
        ))}
      </dl>
      <p id="said" role="status" children={said} />
      <p id="trouble" role="alert" children={trouble} />
      <main>
        <div class="stack">
          {shown.lists.map((list) => (
            <ListMap key={list.name} list={list} startAfresh={startAfresh} />
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
