import { useEffect, useState } from 'preact/hooks';
import type { PagedBy } from '../../lists.ts';
import type { PageView } from '../page-view.ts';
import { Form, Select, Switch } from './forms.tsx';
import type { Act, Call } from './forms.tsx';
import { moment, number } from './words.ts';

type Props = { view: PageView; act: Act };
type Pace = 'latencyMs' | `${PagedBy<'offset'>}LimitCap`;

const spans = { 60: 'a minute', 3600: 'an hour', 86400: 'a day' };
const waits = { 0: 'not at all', 100: '0.1 s', 500: '0.5 s', 2000: '2 s' };
const caps = { '': 'as many as asked for', 20: '20', 100: '100', 200: '200', 500: '500' };
const places = { head: 'head', random: 'random' };
/** What can be done with the rows of a list. */
const changes = {
  offset: [
    { does: 'insert', verb: 'Insert', first: '10', after: ' at the head', done: 'came in' },
    { does: 'delete', verb: 'Delete', first: '10', after: '', done: 'went' },
  ],
  cursor: [{ does: 'arrive', verb: 'Let', first: '5', after: ' arrive', done: 'arrived' }],
} as const;

/** The buttons that change the rows, the clock and the pace of the scenario. */
export function Changes({ view: { lists, options }, act }: Props) {
  const moving = lists.flatMap(({ name, map }) => (map === undefined ? [] : [name as PagedBy<'offset'>]));
  const advance = (seconds: unknown): void =>
    act(async (call) => {
      const { now } = await call<{ now: string }>('POST', '/clock', { advanceSeconds: Number(seconds) });
      return `The clock of the world says ${moment(now)}.`;
    });
  const [isMoving, keepMoving] = useState(false);
  useEffect(() => {
    const move = async (call: Call): Promise<string> => {
      for (const name of moving) {
        await call('POST', `/${name}/insert`, { count: 3 });
        await call('POST', `/${name}/delete`, { count: 3, at: 'random' });
      }
      return 'The list moves.';
    };
    const timer = isMoving ? setInterval(() => act(move), 1000) : undefined;
    return () => clearInterval(timer);
  }, [isMoving]);
  const movingWords = `Every second 3 ${moving.join(' and 3 ')} come in at the head and 3 go at random`;
  const pace = (name: Pace, label: string, choices: Record<string, string>) => {
    const value = String(options[name] ?? '');
    const choose = (to: string): void => setOptions(act, { [name]: to === '' ? null : Number(to) });
    return <Select key={name} name={name} label={label} choices={choices} value={value} choose={choose} />;
  };
  return (
    <section>
      <h2>Change the world</h2>
      {lists.flatMap(({ name, paging }) =>
        changes[paging].map((change) => <Change key={change.does} name={name} act={act} {...change} />),
      )}
      <Form id="advance" button="Advance" submit={({ seconds }) => advance(seconds)}>
        <Select label="Advance the clock by" name="seconds" choices={spans} value="3600" />
      </Form>
      <Switch id="moving" words={movingWords} isOn={isMoving} turn={keepMoving} />
      <h3>Pace, to watch a read step by step</h3>
      <form id="pace">
        {pace('latencyMs', 'Wait before each answer', waits)}
        {moving.map((name) => pace(`${name}LimitCap`, `Most ${name} on a page`, caps))}
      </form>
    </section>
  );
}

type ChangeProps = Record<'name' | 'does' | 'verb' | 'first' | 'after' | 'done', string> & { act: Act };

function Change({ name, does, verb, first, after, done, act }: ChangeProps) {
  const submit = ({ count, ...fields }: Record<string, unknown>): void =>
    act(async (call) => {
      const { ids } = await call<{ ids: [] }>('POST', `/${name}/${does}`, {
        ...fields,
        count: Number(count),
      });
      return `${number(ids.length)} ${name} ${done}.`;
    });
  return (
    <Form id={`${does}-${name}`} button={verb === 'Let' ? `New ${name}` : verb} submit={submit}>
      <label>
        {verb} <input name="count" type="number" min="1" max="10000" defaultValue={first} required />{' '}
        {name + after}
      </label>
      {does === 'delete' && <Select label="at" name="at" choices={places} value="random" />}
    </Form>
  );
}

/** What has been taken of each limit. */
export function Tokens({ view: { tokens, options }, act }: Props) {
  return (
    <section id="tokens">
      <h2>Tokens</h2>
      {tokens.map(({ audience, issued, limit, windowSeconds, waitSeconds }) => {
        const scale = { max: limit, high: limit - 1, optimum: 0, value: Math.min(issued, limit) };
        const next =
          options.tokenLimits && waitSeconds > 0
            ? `; the next one in ${number(Math.ceil(waitSeconds / 60))} min`
            : '';
        const window = windowSeconds === 3600 ? 'this hour' : 'this day';
        return (
          <div key={audience}>
            <meter aria-label={`tokens of ${audience}`} {...scale} />
            <p>
              {audience === 'API' ? 'API, for every module' : `${audience}, one module`}
              {`: ${number(issued)} of ${number(limit)} ${window}${next}`}
            </p>
          </div>
        );
      })}
      <p>What counts is the hour, or the day, that ends now by the clock of the world: advance it.</p>
      <Switch
        words="The limits hold"
        isOn={options.tokenLimits}
        turn={(tokenLimits) => setOptions(act, { tokenLimits })}
      />
    </section>
  );
}

const setOptions = (act: Act, patch: object): void =>
  act((call) => call('PATCH', '/knobs', patch).then(() => 'Changed.'));
