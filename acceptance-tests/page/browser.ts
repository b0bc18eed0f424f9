import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBrowserPipe, type Fields } from './browser-pipe.ts';

/** How a window looks. */
export interface Look {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
}

/** A control, as assistive programs are told of it. */
export interface Control {
  readonly role: string;
  readonly name: string;
}

/** A window of a browser that nobody sees. */
export interface Window {
  /** Loads a page and waits until it is loaded. */
  open(url: string): Promise<void>;
  /** Loads the page again, and waits until it is loaded. */
  reload(): Promise<void>;
  /** Evaluates an expression, or the promise that it gives, to a value that JSON can hold. Throws what it throws. */
  evaluate<T>(expression: string): Promise<T>;
  /** Evaluates until the result is true; throws, naming what it waited for, if that is not so within 30 s. */
  until(expression: string): Promise<void>;
  look(look: Look): Promise<void>;
  /** Presses and lets go of a key, by the name that KeyboardEvent gives it. */
  press(key: 'Tab' | 'Enter' | ' ' | 'ArrowDown'): Promise<void>;
  /** Writes the whole page, not only what fits the window, to a PNG file. */
  screenshot(file: string): Promise<void>;
  /** What a screen reader finds that can take the focus. */
  controls(): Promise<Control[]>;
  /** What the page has complained of so far: uncaught errors, console errors, refused resources. */
  complaints(): readonly string[];
  /** Ends the browser. */
  close(): Promise<void>;
}

const patienceMs = 30_000;
const flags = [
  '--headless=new',
  '--remote-debugging-pipe',
  // as root there is no other way; it visits nothing but the sandbox on this machine
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-color-profile=srgb',
];
const keys = {
  Tab: { code: 'Tab', windowsVirtualKeyCode: 9 },
  Enter: { code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  ' ': { code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
  ArrowDown: { code: 'ArrowDown', windowsVirtualKeyCode: 40 },
};

/** Starts a browser with an empty profile of its own. Throws if it ends at once. */
export async function startBrowser(program: string): Promise<Window> {
  const profile = await mkdtemp(join(tmpdir(), 'page-test-'));
  const child = spawn(program, [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const pipe = createBrowserPipe(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const { targetId } = await pipe.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, params: Fields): Promise<Fields> =>
    pipe.send(method, params, String(sessionId));
  const complaints: string[] = [];
  let loaded: (() => void) | undefined;
  pipe.onEvent((method, params) => {
    if (method === 'Page.loadEventFired') loaded?.();
    const complaint = complaintOf(method, params);
    if (complaint !== undefined) complaints.push(complaint);
  });
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`, {});

  async function load(method: string, params: Fields): Promise<void> {
    const end = new Promise<void>((resolve) => (loaded = resolve));
    await send(method, params);
    await end;
  }

  async function evaluate<T>(expression: string): Promise<T> {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = (await send('Runtime.evaluate', params)) as {
      result: { value: T };
      exceptionDetails?: { exception?: { description?: string } };
    };
    if (exceptionDetails === undefined) return result.value;
    throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? 'it failed'}`);
  }

  return {
    open: (url) => load('Page.navigate', { url }),
    reload: () => load('Page.reload', {}),
    evaluate,
    until: async (expression) => {
      const end = performance.now() + patienceMs;
      while (!(await evaluate<boolean>(`Boolean(${expression})`))) {
        if (performance.now() > end) throw new Error(`this did not come true: ${expression}`);
        await sleep(50);
      }
    },
    look: async ({ width, height, scheme }) => {
      await send('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
      });
      await send('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-color-scheme', value: scheme }],
      });
    },
    press: async (key) => {
      const event = { key, ...keys[key] };
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
      await send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' });
    },
    screenshot: async (file) => {
      const { data } = await send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
      await writeFile(file, Buffer.from(String(data), 'base64'));
    },
    controls: async () => {
      const { nodes } = (await send('Accessibility.getFullAXTree', {})) as { nodes: AccessibleNode[] };
      return nodes
        .filter(({ properties = [] }) =>
          properties.some(({ name, value }) => name === 'focusable' && value.value),
        )
        .map(({ role, name }) => ({ role: role?.value ?? '', name: name?.value ?? '' }));
    },
    complaints: () => complaints,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface AccessibleNode {
  role?: { value: string };
  name?: { value: string };
  properties?: { name: string; value: { value: unknown } }[];
}

function complaintOf(method: string, params: Fields): string | undefined {
  const isComplaint =
    method === 'Runtime.exceptionThrown' ||
    (method === 'Runtime.consoleAPICalled' && params['type'] === 'error') ||
    (method === 'Log.entryAdded' && (params['entry'] as { level: string }).level === 'error');
  return isComplaint ? `${method} ${JSON.stringify(params)}` : undefined;
}
