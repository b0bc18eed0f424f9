import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import type { Output } from '../support/run-views.ts';
import type { FurtherList } from './further-lists.ts';
import type { RunPlan } from './scenario-runs.ts';
import type { ListName, Scenario } from './scenario.ts';
import type { SimulatedApi } from './simulated-api.ts';

/** A scenario limited to assets and alarms, or to one further list in the place of the predefined list of its kind. */
export interface View {
  /** Precedes a problem, which calls a further list by its kind. */
  readonly label: string;
  /** The stream in each place; empty where there is none. */
  readonly names: Readonly<Record<ListName, string>>;
  readonly scenario: Scenario;
  readonly api: SimulatedApi;
}

export function viewsOf(scenario: Scenario, api: SimulatedApi): readonly View[] {
  const predefined = { label: '', names: { assets: 'assets', alarms: 'alarms' }, scenario, api };
  return [predefined, ...scenario.further.map((list) => viewOf(scenario, api, list))];
}

function viewOf(scenario: Scenario, api: SimulatedApi, list: FurtherList): View {
  const { name, kind, assets, alarms, settings } = list;
  const runs = scenario.runs.map((run, at): RunPlan => ({ ...run, ...settings[at] }));
  return {
    label: `${name}, like `,
    names: { assets: '', alarms: '', [kind]: name },
    scenario: { ...scenario, streams: [kind], api: { ...scenario.api, assets, alarms }, runs },
    api: { ...api, [kind]: api.lists.get(name) },
  };
}

/** The output without the streams of other views; a further list is renamed to its kind. */
export function outputOfView({ names }: View, views: readonly View[], output: Output): Output {
  const others = views.filter((view) => view.names !== names).flatMap((view) => Object.values(view.names));
  if (others.length === 0) return output;
  const ofOthers = new RegExp(`"(name|stream|message)":"(${others.filter(Boolean).join('|')})\\b`);
  const renamed = (line: string): string =>
    Object.entries(names).reduce(
      (text, [kind, name]) => (name === '' ? text : text.replaceAll(`"${name}`, `"${kind}`)),
      line,
    );
  const lines = output.lines
    .map(String)
    .filter((line) => !ofOthers.test(line))
    .map(renamed);
  return {
    lines: lines.map((line) => Buffer.from(line)),
    messages: lines.map((line) => JSON.parse(line) as AirbyteMessage),
  };
}
