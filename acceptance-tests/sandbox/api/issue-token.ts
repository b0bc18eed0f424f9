import type { SandboxWorld } from '../worlds/world.ts';
import { jsonAnswer, type Answer } from './answer.ts';
import { Refusal } from './refusal.ts';

/** Answers the token endpoint. Throws a {@link Refusal}. */
export function issueToken(world: SandboxWorld, body: string): Answer {
  try {
    const knobs = world.knobs();
    const { audience, response } = world.tokens.issue(parsed(body), knobs, world.clock.nowMicros());
    world.log.tokenIssued(audience);
    return jsonAnswer(knobs.tokenSuccessStatus, JSON.stringify(response), 0);
  } catch (error) {
    world.log.tokenRefused();
    throw error;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal('badRequest', 'the body is not JSON');
  }
}
