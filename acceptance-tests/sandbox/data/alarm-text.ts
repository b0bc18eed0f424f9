import type { CreatedFormat } from '../knobs/knobs.ts';
import { isoMilliseconds } from './fast-text.ts';
import { createdText } from './instant.ts';
import { list, position, text } from './json-text.ts';
import { createRandom, mix, type Random } from './random.ts';
import { kindNumber, rowId } from './row-id.ts';
import { words } from './words.ts';

/** Started anew for every row. */
const stream = createRandom(0);

/** What an alarm's text depends on beside its seed, row number and created time. */
export interface AlarmStyle {
  format: CreatedFormat;
  /** Every so many rows have no `createdDate`; null: all have one. */
  createdMissingEvery: number | null;
  /** How many asset rows the world began with: `assetId` names one of them. */
  assetRows: number;
}

/** The JSON text of one alarm (all members invented). A pure function of its arguments. */
export function alarmText(seed: number, row: number, createdMicros: number, style: AlarmStyle): string {
  const random = stream.restart(mix(seed, kindNumber.alarms, row));
  const createdMs = Math.floor(createdMicros / 1000);
  const asset = random.below(Math.max(1, style.assetRows));
  const acknowledged = random.once(3);
  return (
    `{"alarmId":"${rowId(seed, 'alarms', row)}","assetId":"${rowId(seed, 'assets', asset)}",${created(row, createdMicros, style)}` +
    `"alarmType":"${random.pick(words.alarmTypes)}","severity":"${random.pick(words.severities)}",` +
    `"status":"${random.pick(words.statuses)}","message":"${random.pick(words.messages)}",` +
    `"code":"00${random.digits(4)}","sequence":9007199254740${random.digits(6)},` +
    `"value":${decimal(random)},"threshold":${random.below(9)}.50,"unit":"${random.pick(words.units)}",` +
    `"position":${position(random, createdMs)},"details":${details(random)},` +
    `"acknowledgedBy":${acknowledged ? `{"user":${text(random.pick(words.people))},"role":"dispatcher"}` : 'null'},` +
    `"acknowledgedDate":${acknowledged ? `"${isoMilliseconds(createdMs + random.below(90_000_000))}Z"` : 'null'},` +
    `"readings":${list(random.below(5), () => decimal(random))},` +
    `"tags":${list(random.below(3), () => text(random.pick(words.tags)))},"ruleId":${random.below(500)},` +
    `"geofence":${random.once(2) ? 'null' : `{"id":"G-${random.digits(3)}","name":${text(random.pick(words.groups))}}`}}`
  );
}

function created(row: number, micros: number, style: AlarmStyle): string {
  const every = style.createdMissingEvery;
  if (every !== null && row % every === every - 1) return '';
  return `"createdDate":${createdText(micros, style.format)},`;
}

function decimal(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return '1.10';
    case 1:
      return '1E-7';
    case 2:
      return '-0.0';
    case 3:
      return `-${random.below(40)}.${random.digits(2)}`;
    default:
      return `${random.below(200)}.${random.digits(1)}0`;
  }
}

function details(random: Random): string {
  if (random.once(6)) return '{"items":[],"pagination":{"nextCursor":""}}';
  return `{"axle":${1 + random.below(5)},"wheels":${list(random.below(4), () => `{"side":"${random.once(2) ? 'L' : 'R'}","bar":${decimal(random)}}`)},"history":[[1,2.50],[],[null,true]]}`;
}
