import { useEffect, useState } from 'preact/hooks';
import type { PagedBy } from '../../lists.ts';
import type { PageView } from '../page-view.ts';
import { Form, Select, Switch, type Act, type Call } from './forms.tsx';
import { moment, number } from './format.ts';

type Props = { view: PageView; act: Act };
type Pace = 'latencyMs' | `${PagedBy<'offset'>}LimitCap`;

const spans = { 60: 'a minute', 3600: 'an hour', 86400: 'a day' };
const delays = { 0: 'none', 100: '100 ms', 500: '500 ms', 2000: '2,000 ms' };
const caps = { '': 'no limit', 20: '20 rows', 100: '100 rows', 200: '200 rows', 500: '500 rows' };
const places = { head: 'head', random: 'random' };
const changes = {
  offset: [
    { action: 'insert', verb: 'Insert', initial: '10', suffix: ' at the head', done: 'inserted' },
    { action: 'delete', verb: 'Delete', initial: '10', suffix: '', done: 'deleted' },
  ],
  cursor: [{ action: 'arrive', verb: 'Add', initial: '5', suffix: '', done: 'added' }],
} as const;

/** Controls for the rows, the clock and the pace of the scenario. */
export function Changes({ view: { lists, options }, act }: Props) {
  const moving = lists.flatMap(({ name, paging }) =>
    paging === 'offset' ? [name as PagedBy<'offset'>] : [],
  );
  const advance = (seconds: unknown): void =>
    act(async (call) => {
      const { now } = await call<{ now: string }>('POST', '/clock', { advanceSeconds: Number(seconds) });
      return `The clock of the world is at ${moment(now)}.`;
    });
  const pace = (name: Pace, label: string, known: Record<string, string>, unit: string) => {
    const value = String(options[name] ?? '');
    const choices = { [value]: `${number(Number(value))} ${unit}`, ...known };
    const choose = (to: string): void => setOptions(act, { [name]: to === '' ? null : Number(to) });
    return <Select key={name} name={name} label={label} choices={choices} value={value} choose={choose} />;
  };
  return (
    <section>
      <h2>Change the world</h2>
      {lists.flatMap(({ name, paging }) =>
        changes[paging].map((change) => <Change key={change.action} name={name} act={act} {...change} />),
      )}
      <Form id="advance" button="Advance" submit={({ seconds }) => advance(seconds)}>
        <Select label="Advance the clock by" name="seconds" choices={spans} value="3600" />
      </Form>
      <Moving names={moving} act={act} />
      <h3>Pace</h3>
      <p>Slow a read down to watch it.</p>
      <form id="pace">
        {pace('latencyMs', 'Delay of each response', delays, 'ms')}
        {moving.map((name) => pace(`${name}LimitCap`, `Maximum ${name} per page`, caps, 'rows'))}
      </form>
    </section>
  );
}

/** Inserts and deletes rows every second while it is on. */
function Moving({ names, act }: { names: readonly string[]; act: Act }) {
  const [isOn, turn] = useState(false);
  useEffect(() => {
    const move = async (call: Call): Promise<string> => {
      for (const name of names) {
        await call('POST', `/${name}/insert`, { count: 3 });
        await call('POST', `/${name}/delete`, { count: 3, at: 'random' });
      }
      return 'Rows were inserted and deleted.';
    };
    const timer = isOn ? setInterval(() => act(move), 1000) : undefined;
    return () => clearInterval(timer);
  }, [isOn]);
  const label = `Every second, insert 3 ${names.join(' and 3 ')} at the head and delete 3 at random`;
  return <Switch id="moving" label={label} isOn={isOn} turn={turn} />;
}

type ChangeProps = Record<'name' | 'action' | 'verb' | 'initial' | 'suffix' | 'done', string> & { act: Act };

function Change({ name, action, verb, initial, suffix, done, act }: ChangeProps) {
  const submit = ({ count, ...fields }: Record<string, unknown>): void =>
    act(async (call) => {
      const { ids } = await call<{ ids: [] }>('POST', `/${name}/${action}`, {
        ...fields,
        count: Number(count),
      });
      return `${number(ids.length)} ${name} ${done}.`;
    });
  return (
    <Form id={`${action}-${name}`} button={verb} submit={submit}>
      <label>
        {verb} <input name="count" type="number" min="1" max="10000" defaultValue={initial} required />{' '}
        {name + suffix}
      </label>
      {action === 'delete' && <Select label="at" name="at" choices={places} value="random" />}
    </Form>
  );
}

/** The use of each token limit. */
export function Tokens({ view: { tokens, options }, act }: Props) {
  return (
    <section id="tokens">
      <h2>Tokens</h2>
      {tokens.map(({ audience, issued, limit, windowSeconds, waitSeconds }) => {
        const scale = { max: limit, high: limit - 1, optimum: 0, value: Math.min(issued, limit) };
        const next =
          options.tokenLimits && waitSeconds > 0
            ? `; next token in ${number(Math.ceil(waitSeconds / 60))} min`
            : '';
        const window = windowSeconds === 3600 ? 'in the last hour' : 'in the last day';
        return (
          <div key={audience}>
            <meter aria-label={`tokens of ${audience}`} {...scale} />
            <p>
              {audience === 'API' ? 'API, all modules' : `${audience}, one module`}
              {`: ${number(issued)} of ${number(limit)} ${window}${next}`}
            </p>
          </div>
        );
      })}
      <p>Limits are per hour or day of the world's clock; advance it to get more tokens.</p>
      <Switch
        label="Enforce token limits"
        isOn={options.tokenLimits}
        turn={(tokenLimits) => setOptions(act, { tokenLimits })}
      />
    </section>
  );
}

const setOptions = (act: Act, patch: object): void =>
  act((call) => call('PATCH', '/knobs', patch).then(() => 'Changed.'));
