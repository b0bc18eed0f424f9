import { createOutputValidator } from '../../suites/conformance/validate-output.ts';
import type { Check } from '../run-record.ts';

/** Each line is a message, in an order that the protocol allows, with counts that are true. */
export const checkMessages: Check = (run) => {
  const validator = createOutputValidator();
  try {
    for (const line of run.lines) validator.line(line);
    if (run.ended.how === 'exit') validator.end();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
};
