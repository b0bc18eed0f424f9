import { useRef, useState } from 'preact/hooks';
import type { FaultPlan } from '../../faults/faults.ts';
import type { EndpointName } from '../../lists.ts';
import type { PageView } from '../page-view.ts';
import { Select, Switch, type Act } from './forms.tsx';
import { number } from './format.ts';

const times = { '': 'always', 1: 'once', 2: 'twice', 5: '5 times', 20: '20 times' };
const places = {
  any: 'every request',
  random: 'a third, at random',
  first: 'first page',
  middle: 'middle pages',
  last: 'last page',
};
type Props = { view: PageView; act: Act };

export function Faults({ view, act }: Props) {
  return (
    <section class="wide">
      <h2>Faults</h2>
      <div id="faults">
        {view.endpointNames.map((endpoint) => (
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
  // do not change a form that has the focus
  const isChoosing = group.current?.contains(document.activeElement) === true;
  const shown = plan === undefined || isChoosing ? draft : plan;
  const set = (part: object, isOn: boolean): void => {
    const next = { ...shown, ...part };
    setDraft(next);
    if (!isOn && plan === undefined) return;
    const plans = { ...faults.plans, [endpoint]: isOn ? next : undefined };
    act((call) => call('PUT', '/faults', plans).then(() => 'Faults updated.'));
  };
  const change = (part: object): void => set(part, plan !== undefined);
  const setTimes = (count: string): void => change({ times: count === '' ? null : Number(count) });
  const possible = faultChoices.filter(({ endpoints }) => endpoints.includes(endpoint));
  const names = Object.fromEntries(possible.map(({ name, title }) => [name, title]));
  const where = endpoint === 'token' ? { any: places.any } : places;
  return (
    <fieldset ref={group}>
      <legend>{endpoint}</legend>
      <Switch label="Inject a fault" isOn={plan !== undefined} turn={(isOn) => set({}, isOn)} />
      <Select label="Fault" choices={names} value={shown.fault} choose={(fault) => change({ fault })} />
      <Select label="Where" choices={where} value={shown.at} choose={(at) => change({ at })} />
      <Select label="How often" choices={times} value={String(shown.times ?? '')} choose={setTimes} />
      <p>Occurrences: {number(faults.hits[endpoint])}</p>
    </fieldset>
  );
}
