import { useEffect, useState } from 'preact/hooks';
import type { ListName, PagedBy } from '../../lists.ts';
import type { ListView, PageView } from '../page-view.ts';
import { Form, Select, Switch, type Act } from './forms.tsx';
import { moment, number } from './words.ts';

interface Props {
  view: PageView;
  act: Act;
}

const spans = { 60: 'a minute', 3600: 'an hour', 86400: 'a day' };
const waits = { 0: 'not at all', 100: '0.1 s', 500: '0.5 s', 2000: '2 s' };
const caps = { '': 'as many as asked for', 20: '20', 100: '100', 200: '200', 500: '500' };
const places = { head: 'head', random: 'random' };
/** What can be done with the rows of a list. */
const changes = {
  offset: [
    { does: 'insert', verb: 'Insert', first: 10, after: ' at the head', done: 'came in' },
    { does: 'delete', verb: 'Delete', first: 10, after: '', done: 'went' },
  ],
  cursor: [{ does: 'arrive', verb: 'Let', first: 5, after: ' arrive', done: 'arrived' }],
} as const;

/** The buttons that change the rows, the clock and the pace of the scenario. */
export function Changes({ view: { lists, options }, act }: Props) {
  const moving = lists.flatMap(({ name, paging }) =>
    paging === 'offset' ? [name as PagedBy<'offset'>] : [],
  );
  const advance = (seconds: unknown): void =>
    act(async (call) => {
      const { now } = await call<{ now: string }>('POST', '/clock', { advanceSeconds: Number(seconds) });
      return `The clock of the world says ${moment(now)}.`;
    });
  const pace = [
    { name: 'latencyMs', label: 'Wait before each answer', choices: waits, value: options.latencyMs },
    ...moving.map((list) => {
      const name = `${list}LimitCap` as const;
      return { name, label: `Most ${list} on a page`, choices: caps, value: options[name] };
    }),
  ];
  return (
    <section>
      <h2>Change the world</h2>
      {lists.flatMap((list) =>
        changes[list.paging].map((change) => <Change key={change.does} list={list} act={act} {...change} />),
      )}
      <Form id="advance" button="Advance" submit={({ seconds }) => advance(seconds)}>
        <Select label="Advance the clock by" name="seconds" choices={spans} first="3600" />
      </Form>
      <Moving names={moving} act={act} />
      <h3>Pace</h3>
      <p>Slow the sandbox down, and let it grant small pages, to watch a read step by step.</p>
      <form id="pace">
        {pace.map(({ value, ...rest }) => {
          const choose = (chosen: string): void =>
            setOptions(act, { [rest.name]: chosen === '' ? null : Number(chosen) });
          return <Select key={rest.name} value={String(value ?? '')} choose={choose} {...rest} />;
        })}
      </form>
    </section>
  );
}

type ChangeProps = Record<'does' | 'verb' | 'after' | 'done', string> & {
  list: ListView;
  first: number;
  act: Act;
};

function Change({ list: { name }, does, verb, first, after, done, act }: ChangeProps) {
  const submit = ({ count, ...fields }: Record<string, unknown>): void =>
    act(async (call) => {
      const body = { ...fields, count: Number(count) };
      const { ids } = await call<{ ids: string[] }>('POST', `/${name}/${does}`, body);
      return `${number(ids.length)} ${name} ${done}.`;
    });
  return (
    <Form id={`${does}-${name}`} button={verb === 'Let' ? `New ${name}` : verb} submit={submit}>
      <label>
        {verb} <input name="count" type="number" min="1" max="10000" defaultValue={`${first}`} required />{' '}
        {name}
        {after}
      </label>
      {does === 'delete' && <Select label="at" name="at" choices={places} first="random" />}
    </Form>
  );
}

/** While it is on, rows come in and go every second. */
function Moving({ names, act }: { names: readonly ListName[]; act: Act }) {
  const [isOn, turn] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const move = (): void =>
      act(async (call) => {
        for (const name of names) {
          await call('POST', `/${name}/insert`, { count: 3 });
          await call('POST', `/${name}/delete`, { count: 3, at: 'random' });
        }
        return 'The list moves.';
      });
    const timer = setInterval(move, 1000);
    return () => clearInterval(timer);
  }, [isOn]);
  const words = `Keep the list moving: every second 3 ${names.join(' and 3 ')} come in at the head and 3 go at random`;
  return (
    <div id="moving">
      <Switch words={words} isOn={isOn} turn={turn} />
    </div>
  );
}

/** What has been taken of each limit. */
export function Tokens({ view: { tokens, options }, act }: Props) {
  return (
    <section id="tokens">
      <h2>Tokens</h2>
      {tokens.map(({ audience, issued, limit, windowSeconds, waitSeconds }) => {
        const value = Math.min(issued, limit);
        return (
          <div key={audience}>
            <meter
              aria-label={`tokens of ${audience}`}
              max={limit}
              high={limit - 1}
              optimum={0}
              value={value}
            />
            <p>
              {audience === 'API' ? 'API, for every module' : `${audience}, one module`}
              {`: ${number(issued)} of ${number(limit)} ${windowSeconds === 3600 ? 'this hour' : 'this day'}`}
              {waitSeconds > 0 && options.tokenLimits && `; the next one in ${waiting(waitSeconds)}`}
            </p>
          </div>
        );
      })}
      <small>
        A limit counts the tokens of the hour, or the day, that ends now by the clock of the world. Advance
        the clock to free it.
      </small>
      <Switch
        words="The limits hold"
        isOn={options.tokenLimits}
        turn={(tokenLimits) => setOptions(act, { tokenLimits })}
      />
    </section>
  );
}

function waiting(seconds: number): string {
  if (seconds < 120) return `${number(seconds)} s`;
  return seconds < 7200 ? `${number(Math.ceil(seconds / 60))} min` : `${number(Math.ceil(seconds / 3600))} h`;
}

function setOptions(act: Act, patch: object): void {
  act(async (call) => {
    await call('PATCH', '/knobs', patch);
    return 'Changed.';
  });
}
