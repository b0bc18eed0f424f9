import type { Readable, Writable } from 'node:stream';

/** What the browser answers or reports; what is in it depends on the method. */
export type Fields = Record<string, unknown>;

/** The DevTools protocol over the two pipes of `--remote-debugging-pipe`: JSON texts, each with a NUL behind it. */
export interface BrowserPipe {
  /** One command, to the browser itself or to a session. Throws with the browser's words if it fails. */
  send(method: string, params: Fields, session?: string): Promise<Fields>;
  /** Hears of every event from now on. */
  onEvent(heard: (method: string, params: Fields) => void): void;
}

interface Message {
  id?: number;
  method?: string;
  params?: Fields;
  result?: Fields;
  error?: { message: string };
}

/** Speaks to a browser that reads from one stream and writes to the other; commands under way fail when that one ends. */
export function createBrowserPipe(toBrowser: Writable, fromBrowser: Readable): BrowserPipe {
  const waiting = new Map<number, (message: Message) => void>();
  const listeners: ((method: string, params: Fields) => void)[] = [];
  let lastId = 0;
  let rest = '';

  function hear(message: Message): void {
    if (message.id !== undefined) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    } else for (const listener of listeners) listener(message.method ?? '', message.params ?? {});
  }

  fromBrowser.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) hear(JSON.parse(message) as Message);
  });
  fromBrowser.on('close', () => {
    for (const [id] of waiting) hear({ id, error: { message: 'the browser has ended' } });
  });

  return {
    send: async (method, params, session) => {
      lastId += 1;
      const id = lastId;
      const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
      const address = session === undefined ? {} : { sessionId: session };
      toBrowser.write(`${JSON.stringify({ id, method, params, ...address })}\0`);
      const { error, result } = await answer;
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result ?? {};
    },
    onEvent: (heard) => listeners.push(heard),
  };
}
