import type { ListName } from '../../sandbox/client.ts';
import { recordText } from '../../support/run-views.ts';
import type { CrashFigures } from './crash-figures.ts';
import type { EmissionLedger } from './emission-ledger.ts';
import type { RoundMessage } from './round-messages.ts';

/** One round as it reached us. */
export interface Round {
  readonly number: number;
  readonly messages: readonly RoundMessage[];
  readonly killed: boolean;
}

export type Ledgers = Readonly<Record<ListName, EmissionLedger>>;

/** What the connector says when all the rows that a state of the assets knows are deleted. */
const placeLost = /the place where the last read (began|stopped) is gone/;

/** Takes one round after the other. */
export interface RoundJudge {
  /** Adds a round to the figures. True if the state at its end says that the assets were read to their end. */
  readonly round: (round: Round) => boolean;
}

/**
 * Judges the repeats of rounds, each of which goes on where the last state of those before has it go on. Every repeat is
 * put to the account of the kill that last had that row behind its last state; so a kill can never have more repeats than
 * such rows, and what finds no account is unexplained.
 */
export function createRoundJudge(ledgers: Ledgers, figures: CrashFigures): RoundJudge {
  /** The place of each killed round in the figures. */
  const accounts = new Map<number, number>();

  /** Unexplained repeats of the round in hand. */
  let unexplained: string[] = [];

  const row = (kind: ListName, text: string): void => {
    figures.rows += 1;
    const emission = ledgers[kind].row(text);
    if (emission.kind === 'new') return;
    if (emission.kind === 'readAgain') {
      figures.readAgain += 1;
      return;
    }
    const account = emission.kind === 'repeat' ? accounts.get(emission.round) : undefined;
    if (account !== undefined) {
      figures.repeats[account] = (figures.repeats[account] ?? 0) + 1;
      return;
    }
    unexplained.push(`${kind}, last emitted in round ${emission.round}: ${text.slice(0, 100)}`);
  };

  const warn = (words: string): void => {
    if (placeLost.test(words)) {
      figures.placesLost += 1;
      ledgers.assets.readAgain();
    }
    const plain = words.replace(/state \S+:/, 'state FILE:').replace(/\d+/g, '#');
    figures.warnings[plain] = (figures.warnings[plain] ?? 0) + 1;
  };

  return {
    round: ({ number, messages, killed }) => {
      let assetsComplete = false;
      unexplained = [];
      for (const { startRound } of Object.values(ledgers)) startRound(number);
      for (const { message, line } of messages) {
        if (message.type === 'RECORD') row(kindOf(message.record.stream), recordText(line));
        if (message.type === 'LOG' && message.log.level === 'WARN') warn(message.log.message);
        if (message.type !== 'STATE') continue;
        const { stream_descriptor: stream, stream_state: state } = message.state.stream;
        ledgers[kindOf(stream.name)].state();
        assetsComplete ||= stream.name === 'assets' && '__ab_full_refresh_sync_complete' in state;
      }
      if (killed) {
        accounts.set(number, figures.uncovered.length);
        figures.uncovered.push(ledgers.assets.uncovered() + ledgers.alarms.uncovered());
        figures.repeats.push(0);
      }
      figures.unexplained += unexplained.length;
      if (unexplained.length > 0)
        figures.examples.push(
          `unexplained: ${unexplained.length} rows of round ${number}, the first: ${unexplained[0]}`,
        );
      return assetsComplete;
    },
  };
}

function kindOf(stream: string): ListName {
  if (stream !== 'assets' && stream !== 'alarms') throw new Error(`a stream that is not there: ${stream}`);
  return stream;
}
