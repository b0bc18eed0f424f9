import { instant, list, position, text, words, type RowDraft } from './row-parts.ts';
import type { Random } from './random.ts';

/** The JSON text of one alarm; all members are invented. */
export function alarmText({ id, createdMicros, random, created, idIn }: RowDraft): string {
  const createdMs = Math.floor(createdMicros / 1000);
  const assetId = idIn('assets');
  const acknowledged = random.once(3);
  return (
    `{"alarmId":"${id}","assetId":"${assetId}",${created}` +
    `"alarmType":"${random.pick(words.alarmTypes)}","severity":"${random.pick(words.severities)}",` +
    `"status":"${random.pick(words.statuses)}","message":"${random.pick(words.messages)}",` +
    `"code":"00${random.digits(4)}","sequence":9007199254740${random.digits(6)},` +
    `"value":${decimal(random)},"threshold":${random.below(9)}.50,"unit":"${random.pick(words.units)}",` +
    `"position":${position(random, createdMs)},"details":${details(random)},` +
    `"acknowledgedBy":${acknowledged ? `{"user":${text(random.pick(words.people))},"role":"dispatcher"}` : 'null'},` +
    `"acknowledgedDate":${acknowledged ? instant(createdMs + random.below(90_000_000)) : 'null'},` +
    `"readings":${list(random.below(5), () => decimal(random))},` +
    `"tags":${list(random.below(3), () => text(random.pick(words.tags)))},"ruleId":${random.below(500)},` +
    `"geofence":${random.once(2) ? 'null' : `{"id":"G-${random.digits(3)}","name":${text(random.pick(words.groups))}}`}}`
  );
}

function decimal(random: Random): string {
  const kind = random.below(6);
  if (kind === 3) return `-${random.below(40)}.${random.digits(2)}`;
  return ['1.10', '1E-7', '-0.0'][kind] ?? `${random.below(200)}.${random.digits(1)}0`;
}

function details(random: Random): string {
  if (random.once(6)) return '{"items":[],"pagination":{"nextCursor":""}}';
  return `{"axle":${1 + random.below(5)},"wheels":${list(random.below(4), () => `{"side":"${random.once(2) ? 'L' : 'R'}","bar":${decimal(random)}}`)},"history":[[1,2.50],[],[null,true]]}`;
}
