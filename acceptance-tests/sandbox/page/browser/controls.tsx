import { useEffect, useRef, useState } from 'preact/hooks';
import type { FaultPlan } from '../../faults/faults.ts';
import type { EndpointName, ListName, PagedBy } from '../../lists.ts';
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
const times = { '': 'for good', 1: 'once', 2: 'twice', 5: '5 times', 20: '20 times' };
const places = {
  any: 'every request',
  random: 'a third, at random',
  first: 'the first page',
  middle: 'pages in the middle',
  last: 'the last page',
};

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
    { option: 'latencyMs', label: 'Wait before each answer', choices: waits, value: options.latencyMs },
    ...moving.map((name) => {
      const option = `${name}LimitCap` as const;
      return { option, label: `Most ${name} on a page`, choices: caps, value: options[option] };
    }),
  ];
  return (
    <section>
      <h2>Change the world</h2>
      {lists.flatMap((list) =>
        changesOf(list).map((change) => <Change key={change.id} act={act} {...change} />),
      )}
      <Form id="advance" button="Advance" submit={({ seconds }) => advance(seconds)}>
        <Select label="Advance the clock by" name="seconds" choices={spans} first="3600" />
      </Form>
      <Moving names={moving} act={act} />
      <h3>Pace</h3>
      <p>Slow the sandbox down, and let it grant small pages, to watch a read step by step.</p>
      <form id="pace">
        {pace.map(({ option, value, ...rest }) => (
          <Select
            key={option}
            name={option}
            value={String(value ?? '')}
            choose={(chosen) => setOptions(act, { [option]: chosen === '' ? null : Number(chosen) })}
            {...rest}
          />
        ))}
      </form>
    </section>
  );
}

interface ChangeProps {
  id: string;
  path: string;
  verb: string;
  words: string;
  count: number;
  place?: string;
  done: string;
}

/** What can be done with the rows of a list. */
function changesOf({ name, paging }: ListView): ChangeProps[] {
  const at = (does: string) => ({ id: `${does}-${name}`, path: `/${name}/${does}` });
  if (paging === 'cursor')
    return [{ ...at('arrive'), verb: 'Let', words: `${name} arrive`, count: 5, done: `${name} arrived` }];
  return [
    { ...at('insert'), verb: 'Insert', words: `${name} at the head`, count: 10, done: `${name} came in` },
    { ...at('delete'), verb: 'Delete', words: name, count: 10, place: 'random', done: `${name} went` },
  ];
}

function Change({ id, path, verb, words, count, place, done, act }: ChangeProps & { act: Act }) {
  const submit = (fields: Record<string, unknown>): void =>
    act(async (call) => {
      const body = { ...fields, count: Number(fields['count']) };
      return `${number((await call<{ ids: string[] }>('POST', path, body)).ids.length)} ${done}.`;
    });
  return (
    <Form id={id} button={verb === 'Let' ? `New ${words.split(' ')[0]}` : verb} submit={submit}>
      <label>
        {verb} <input name="count" type="number" min="1" max="10000" defaultValue={`${count}`} required />{' '}
        {words}
      </label>
      {place && <Select label="at" name="at" choices={{ head: 'head', random: 'random' }} first={place} />}
    </Form>
  );
}

/** While it is on, rows come in and go every second. */
function Moving({ names, act }: { names: readonly ListName[]; act: Act }) {
  const [isOn, turn] = useState(false);
  const moves = (): void =>
    act(async (call) => {
      for (const name of names) {
        await call('POST', `/${name}/insert`, { count: 3 });
        await call('POST', `/${name}/delete`, { count: 3, at: 'random' });
      }
      return 'The list moves.';
    });
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(moves, 1000);
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
      {tokens.map(({ audience, issued, limit, windowSeconds, waitSeconds }) => (
        <div key={audience}>
          <meter
            aria-label={`tokens of ${audience}`}
            max={limit}
            high={limit - 1}
            optimum={0}
            value={Math.min(issued, limit)}
          />
          <p>
            {audience === 'API' ? 'API, for every module' : `${audience}, one module`}
            {`: ${number(issued)} of ${number(limit)} ${windowSeconds === 3600 ? 'this hour' : 'this day'}`}
            {waitSeconds > 0 && options.tokenLimits && `; the next one in ${waiting(waitSeconds)}`}
          </p>
        </div>
      ))}
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

/** A switch for each endpoint. */
export function Faults({ view, act }: Props) {
  return (
    <section class="wide">
      <h2>Faults</h2>
      <p>Let an endpoint misbehave, and see how the connector takes it.</p>
      <div id="faults">
        {(['token', ...view.lists.map(({ name }) => name)] as const).map((endpoint) => (
          <FaultSwitch key={endpoint} endpoint={endpoint} view={view} act={act} />
        ))}
      </div>
    </section>
  );
}

function FaultSwitch({ endpoint, view: { faults, faultChoices }, act }: Props & { endpoint: EndpointName }) {
  const group = useRef<HTMLFieldSetElement>(null);
  const [draft, setDraft] = useState<FaultPlan>({ fault: 'status503', at: 'any', times: null });
  const plan = faults.plans[endpoint];
  // A person who is choosing is not interrupted.
  const isChoosing = group.current?.contains(document.activeElement) === true;
  const shown = plan === undefined || isChoosing ? draft : plan;
  const set = (part: object, isOn: boolean): void => {
    const next = { ...shown, ...part };
    setDraft(next);
    if (!isOn && plan === undefined) return;
    act(async (call) => {
      await call('PUT', '/faults', { ...faults.plans, [endpoint]: isOn ? next : undefined });
      return 'The faults are set.';
    });
  };
  const change = (part: object): void => set(part, plan !== undefined);
  const possible = faultChoices.filter(({ endpoints }) => endpoints.includes(endpoint));
  const faultNames = Object.fromEntries(possible.map(({ name, words }) => [name, words]));
  const where = endpoint === 'token' ? { any: places.any } : places;
  const often = String(shown.times ?? '');
  return (
    <fieldset ref={group}>
      <legend>{endpoint}</legend>
      <Switch words="misbehaves" isOn={plan !== undefined} turn={(isOn) => set({}, isOn)} />
      <Select label="How" choices={faultNames} value={shown.fault} choose={(fault) => change({ fault })} />
      <Select label="When" choices={where} value={shown.at} choose={(at) => change({ at })} />
      <Select
        label="How often"
        choices={times}
        value={often}
        choose={(count) => change({ times: count === '' ? null : Number(count) })}
      />
      <p>happened so far: {number(faults.hits[endpoint])}</p>
    </fieldset>
  );
}
