import type { Check } from '../run-record.ts';
import { checkBounds } from './bounds.ts';
import { checkComplete } from './complete.ts';
import { checkLogs } from './logs.ts';
import { checkOutcome } from './outcome.ts';
import { checkRows } from './rows.ts';

/** All that must hold of every read, in the order in which a person wants to hear of it. */
export const CHECKS: readonly Check[] = [checkOutcome, checkRows, checkComplete, checkLogs, checkBounds];
