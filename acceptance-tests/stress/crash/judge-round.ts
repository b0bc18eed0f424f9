import type { ListName } from '../../sandbox/client.ts';
import { recordText } from '../../support/run-views.ts';
import type { Output } from '../../support/run-views.ts';
import type { EmissionLedger } from './emission-ledger.ts';
import type { CrashFigures } from './figures.ts';

export type Ledgers = Readonly<Record<ListName, EmissionLedger>>;

/** What the connector says when all the rows that a state of the assets knows are deleted. */
const PLACE_LOST = /the place where the last read (began|stopped) is gone/;

/** Adds a round to the ledgers and the figures. True if a state says that the assets were read to their end. */
export function judgeRound({ messages, lines }: Output, ledgers: Ledgers, figures: CrashFigures): boolean {
  const { counts, problems } = figures;
  const unexplained: string[] = [];
  let areAssetsComplete = false;
  for (const { startRound } of Object.values(ledgers)) startRound();
  for (const [index, message] of messages.entries()) {
    if (message.type === 'RECORD') {
      const text = recordText(lines[index]);
      const kind = ledgers[listOf(message.record.stream)].row(text);
      counts.rows += 1;
      if (kind === 'read again') counts.readAgain += 1;
      if (kind === 'repeat') counts.repeats += 1;
      if (kind === 'unexplained') unexplained.push(text.slice(0, 150));
    }
    if (message.type === 'LOG' && PLACE_LOST.test(message.log.message)) {
      counts.placesLost += 1;
      ledgers.assets.readAgain();
    }
    if (message.type !== 'STATE') continue;
    const { stream_descriptor: stream, stream_state: state } = message.state.stream;
    ledgers[listOf(stream.name)].state();
    areAssetsComplete ||= stream.name === 'assets' && '__ab_full_refresh_sync_complete' in state;
  }
  if (unexplained.length > 0)
    problems.push(`round ${counts.rounds}: ${unexplained.length} rows come again: ${unexplained[0]}`);
  return areAssetsComplete;
}

function listOf(stream: string): ListName {
  if (stream !== 'assets' && stream !== 'alarms') throw new Error(`a stream that is not there: ${stream}`);
  return stream;
}
