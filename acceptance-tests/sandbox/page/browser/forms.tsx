import type { ComponentChildren } from 'preact';

/** Calls a control endpoint of the scenario. Throws an error with the words of the sandbox if it refuses. */
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>;
/** Does a change, says what came of it, and shows the scenario after it. */
export type Act = (change: (call: Call) => Promise<string>) => void;

interface SelectProps {
  label: string;
  name?: string;
  /** Values, and what they are called; the empty one first, then numbers, then names. */
  choices: Readonly<Record<string, string>>;
  /** What is chosen, or at first, where the person alone chooses: one more choice, if it is none of them. */
  value: string;
  choose?: (value: string) => void;
}

export function Select({ label, name, choices, value, choose }: SelectProps) {
  const all = value in choices ? choices : { ...choices, [value]: value };
  const ordered = Object.entries(all).toSorted(([a], [b]) => Number(a !== '') - Number(b !== ''));
  return (
    <label>
      {label}{' '}
      <select name={name} value={choose && value} onChange={(event) => choose?.(event.currentTarget.value)}>
        {ordered.map(([choice, words]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

type SwitchProps = { id?: string; words: string; isOn: boolean; turn: (isOn: boolean) => void };

export function Switch({ id, words, isOn, turn }: SwitchProps) {
  const change = (event: { currentTarget: HTMLInputElement }): void => turn(event.currentTarget.checked);
  return (
    <label id={id}>
      <input type="checkbox" role="switch" checked={isOn} onChange={change} /> {words}
    </label>
  );
}

type Fields = Record<string, FormDataEntryValue>;
type FormProps = {
  id: string;
  button: string;
  submit: (fields: Fields) => void;
  children: ComponentChildren;
};

export function Form({ id, button, submit, children }: FormProps) {
  const onSubmit = (event: { preventDefault: () => void; currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    submit(Object.fromEntries(new FormData(event.currentTarget)));
  };
  return (
    <form id={id} onSubmit={onSubmit}>
      {children}
      <button>{button}</button>
    </form>
  );
}
