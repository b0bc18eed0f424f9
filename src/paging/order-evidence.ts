/** Steps upwards in the created values after which their order counts as ascending: any other shows within so many rows. */
const ENOUGH_STEPS = 16;

/** What is known of the order in which a list comes (API document 4.2.7 calls ascending an assumption). */
export type Order = 'unproven' | 'ascending' | 'broken';

export interface OrderEvidence {
  readonly order: () => Order;
  /** A created value was later than all before it in its chain. */
  readonly step: () => void;
  /** A row came too late in the list: from now on nothing may rest on order. */
  readonly contradict: () => void;
}

/** Collects evidence over all chains of a read. */
export function collectOrderEvidence(): OrderEvidence {
  let steps = 0;
  let isBroken = false;
  return {
    order: () => (isBroken ? 'broken' : steps >= ENOUGH_STEPS ? 'ascending' : 'unproven'),
    step: () => {
      steps++;
    },
    contradict: () => {
      isBroken = true;
    },
  };
}
