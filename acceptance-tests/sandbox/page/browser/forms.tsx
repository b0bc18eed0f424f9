import type { ComponentChildren } from 'preact';

/** Calls a control endpoint of the scenario. Throws an error with the response body if it fails. */
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>;
/** Performs a change, shows its result as text, and refreshes the page. */
export type Act = (change: (call: Call) => Promise<string>) => void;

interface SelectProps {
  label: string;
  name?: string;
  /** Values and labels; the empty value comes first, then numbers, then names. */
  choices: Readonly<Record<string, string>>;
  value: string; // the current value, added to the choices if necessary; the initial one without `choose`
  choose?: (value: string) => void;
}

export function Select({ label, name, choices, value, choose }: SelectProps) {
  const all = value in choices ? choices : { ...choices, [value]: value };
  const ordered = Object.entries(all).toSorted(([a], [b]) => Number(a !== '') - Number(b !== ''));
  return (
    <label>
      {label}{' '}
      <select name={name} value={choose && value} onChange={(event) => choose?.(event.currentTarget.value)}>
        {ordered.map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

type SwitchProps = { id?: string; label: string; isOn: boolean; turn: (isOn: boolean) => void };

export function Switch({ id, label, isOn, turn }: SwitchProps) {
  const change = (event: { currentTarget: HTMLInputElement }): void => turn(event.currentTarget.checked);
  return (
    <label id={id}>
      <input type="checkbox" role="switch" checked={isOn} onChange={change} /> {label}
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
