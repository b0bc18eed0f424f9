import type { ListName } from '../client-types.ts';
import type { SandboxWorld } from '../worlds/world.ts';
import { Refusal } from './refusal.ts';

/** The module behind each list, by the name of its audience. */
const productOf = { assets: 'AMAPI', alarms: 'UMAPI' } as const;

/**
 * Lets a request to a list pass, or throws a {@link Refusal}: a valid token, one that opens the
 * module, the product bought, the permission held.
 */
export function authorize(world: SandboxWorld, kind: ListName, header: string | undefined): void {
  const knobs = world.knobs();
  const token = /^Bearer (\S+)$/.exec(header ?? '')?.[1];
  if (token === undefined) throw new Refusal('badToken', 'the header "Authorization: Bearer …" is missing');
  const modules = world.tokens.modulesOf(token, world.clock.nowMicros());
  const module = knobs.audiences[kind];
  if (!modules.includes(module))
    throw new Refusal('moduleMissing', `the token does not open module ${module}`);
  if (!knobs.products[productOf[kind]])
    throw new Refusal('productMissing', 'the organization has not bought the product behind this endpoint');
  if (!knobs.permissions[kind])
    throw new Refusal('permissionMissing', 'the integrator lacks the permission of this endpoint');
}

/** Throws a {@link Refusal} unless the Accept header lets JSON through. */
export function checkAccept(world: SandboxWorld, header: string | undefined): void {
  if (world.knobs().acceptHeader === 'ignored') return;
  const accepts = (header ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  const fits = ['application/json', 'application/*', '*/*'];
  if (!accepts.some((range) => range !== undefined && fits.includes(range)))
    throw new Refusal('notAcceptable', 'the header "Accept: application/json" is missing');
}
