/** @typedef {import('../page-view.ts').PageView} PageView */
/** @typedef {import('../../faults/fault-plan.ts').FaultReport} FaultReport */
/** @typedef {import('../../faults/fault-plan.ts').FaultPlans} FaultPlans */
/** @typedef {import('../../client-types.ts').EndpointName} EndpointName */
/** @typedef {{ name: string, words: string, endpoints: EndpointName[] }} FaultChoice */

/** @typedef {ReturnType<typeof createSandbox>} Sandbox */

/**
 * The control endpoints of a world. Every function throws an error with the words of the sandbox if it refuses.
 * @param {string} world
 */
export function createSandbox(world) {
  const at = `/worlds/${encodeURIComponent(world)}`;
  let changes = 0;

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async function change(method, path, body) {
    changes += 1;
    try {
      return await call(method, at + path, body);
    } finally {
      changes += 1;
    }
  }

  return {
    /** Differs before and after anything is changed from here, so that what was asked in between can be thrown away. */
    changes: () => changes,
    /** @type {(since: number, requestsFrom: number) => Promise<PageView>} */
    view: (since, requestsFrom) => call('GET', `${at}/view?since=${since}&requestsFrom=${requestsFrom}`),
    /** @type {() => Promise<FaultReport>} */
    faults: () => call('GET', `${at}/faults`),
    /** @type {() => Promise<FaultChoice[]>} */
    faultChoices: () => call('GET', '/page/faults'),
    /** @type {(plans: FaultPlans) => Promise<FaultReport>} */
    setFaults: (plans) => change('PUT', '/faults', plans),
    /** @type {(count: number, at: string) => Promise<{ ids: string[] }>} */
    insert: (count, place) => change('POST', '/assets/insert', { count, at: place }),
    /** @type {(count: number, at: string) => Promise<{ ids: string[] }>} */
    remove: (count, place) => change('POST', '/assets/delete', { count, at: place }),
    /** @type {(count: number) => Promise<{ ids: string[] }>} */
    arrive: (count) => change('POST', '/alarms/arrive', { count }),
    /** @type {(advanceSeconds: number) => Promise<{ now: string }>} */
    advance: (advanceSeconds) => change('POST', '/clock', { advanceSeconds }),
    /** @type {(patch: object) => Promise<unknown>} */
    turn: (patch) => change('PATCH', '/knobs', patch),
    clearRequests: () => change('DELETE', '/requests'),
  };
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function call(method, path, body) {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(path, { method, ...init });
  const text = await answer.text();
  if (answer.ok) return text === '' ? undefined : JSON.parse(text);
  throw new Error(`${method} ${path} was refused with ${answer.status}: ${text}`);
}
