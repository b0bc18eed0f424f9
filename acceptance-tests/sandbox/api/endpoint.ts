import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointName } from '../client-types.ts';
import type { SandboxWorld } from '../worlds/world.ts';
import type { Answer } from './answer.ts';
import type { Call } from './endpoint-hook.ts';
import type { Query } from './query.ts';
import { Refusal, refusalAnswer } from './refusal.ts';

/** The work of an endpoint: an answer, or a thrown {@link Refusal}. */
export type Work = (world: SandboxWorld, call: Call) => Answer;

/**
 * Serves one request to the API: logs it, lets the world's hooks have their say, waits out the latency, works, sends.
 * The answer is written to the socket directly, so that a hook may write anything else in its place.
 */
export async function serve(
  world: SandboxWorld,
  endpoint: EndpointName,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
): Promise<void> {
  reply.hijack();
  const query = request.query as Query;
  const response = reply.raw;
  const logged = once(world.log.begin(endpoint, request.method, pathOf(request.url), flat(query)));
  response.once('close', () => logged(0, 0));

  const body = typeof request.body === 'string' ? request.body : '';
  const call: Call = { endpoint, headers: request.headers, query, body, knobs: world.knobs(), response };
  const hook = world.hooks[endpoint];
  const deliver = (answer: Answer): void => {
    send(response, world, answer);
    logged(answer.status, answer.rows);
  };
  const early = await hook?.before?.(call);
  if (call.knobs.latencyMs > 0) await sleep(call.knobs.latencyMs);
  const answer = early ?? answerOf(world, call, work);
  if (hook?.around === undefined) deliver(answer);
  else await hook.around(call, answer, deliver);
}

function answerOf(world: SandboxWorld, call: Call, work: Work): Answer {
  try {
    return work(world, call);
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error, world.knobs(), world.clock.nowMicros());
    // A fault of the sandbox itself must not pass for one of the API's errors.
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return { status: 500, headers: {}, body: `sandbox: ${String(error)}`, rows: 0 };
  }
}

function send(response: ServerResponse, world: SandboxWorld, answer: Answer): void {
  const skew = world.knobs().dateHeader;
  // Node's own Date header would tell real time, not the world's.
  response.sendDate = false;
  if (skew !== 'absent') {
    const seconds = skew === 'clock' ? 0 : skew;
    response.setHeader('date', new Date(world.clock.nowMicros() / 1000 + seconds * 1000).toUTCString());
  }
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-length': Buffer.byteLength(answer.body),
  });
  response.end(answer.body);
}

function once(log: (status: number, rows: number) => void): (status: number, rows: number) => void {
  let done = false;
  return (status, rows) => {
    if (!done) log(status, rows);
    done = true;
  };
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function flat(query: Query): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}
