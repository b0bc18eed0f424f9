/** The control endpoints as two functions. */
export interface Control {
  /** One JSON exchange; an empty answer becomes undefined. Throws on any status of 400 or more, with the body's words. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
  /** The lines of an NDJSON answer, streamed. */
  lines(path: string): AsyncIterable<string>;
}

/** The control endpoints of the sandbox at `url`. */
export function createControl(url: string): Control {
  return {
    call: async <T>(method: string, path: string, body?: object): Promise<T> => {
      const answer = await ask(url + path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      const text = await answer.text();
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
    lines: (path) => linesOf(url + path),
  };
}

async function* linesOf(address: string): AsyncGenerator<string> {
  const answer = await ask(address, {});
  if (answer.body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of answer.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw new Error(`${address}: the last line was cut off`);
}

async function ask(address: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(address, init);
  if (answer.status < 400) return answer;
  throw new Error(`${init.method ?? 'GET'} ${address}: ${answer.status} ${await answer.text()}`);
}
