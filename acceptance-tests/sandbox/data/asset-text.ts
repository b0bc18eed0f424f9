import { instant, list, position, text, words, type RowDraft } from './row-parts.ts';
import type { Random } from './random.ts';

/**
 * The JSON text of one asset: `assetId` and `vin` are the API's, all other members are invented. Numbers stand as a server
 * with decimals writes them: `125034.10`, `7350.0`, `9007199254740993`.
 */
export function assetText({ id, row, createdMicros, random, created }: RowDraft): string {
  const year = 2008 + random.below(18);
  const axles = 1 + random.below(5);
  const updated = Math.floor(createdMicros / 1000) + random.below(2_000_000_000);
  return (
    `{"assetId":"${id}","vin":"${vin(random, row)}",` +
    `"name":"${random.pick(words.models)} #${row}","licensePlate":"${plate(random)}",` +
    `"assetType":"${random.pick(words.assetTypes)}","brand":"${random.pick(words.brands)}",` +
    `"model":"${random.pick(words.models)}","year":${year},` +
    `"registrationCountry":"${random.pick(words.countries)}",` +
    `"odometerKm":${random.below(900_000)}.${random.digits(1)}0,"emptyWeightKg":${4000 + random.below(600) * 10}.0,` +
    `"deviceSerial":9007199254${random.digits(1)}${random.digits(6)},"axles":${axles},` +
    `"tags":${list(random.below(4), () => text(random.pick(words.tags)))},` +
    `"groups":${list(random.below(3), () => group(random))},"lastPosition":${position(random, updated)},` +
    `"dimensions":{"lengthM":13.${random.digits(2)},"heightM":4.00,"inner":{"lengthM":13.6,"volumeM3":9${random.digits(1)}.50}},` +
    `"tyrePressures":${list(axles * 2, () => pressure(random))},"coolingUnit":${coolingUnit(random)},` +
    `"notes":"${random.pick(words.notes)}","driver":${driver(random)},` +
    `${created}"updatedDate":${instant(updated)}}`
  );
}

const vinLetters = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789';

function vin(random: Random, row: number): string {
  const middle = Array.from({ length: 7 }, () => vinLetters.charAt(random.below(33)));
  return `WSX${middle.join('')}${String(row % 10_000_000).padStart(7, '0')}`;
}

function plate(random: Random): string {
  const letter = (): string => String.fromCharCode(65 + random.below(26));
  return `${letter()}${letter()} ${letter()} ${random.digits(4)}`;
}

function pressure(random: Random): string {
  return random.once(8) ? '1.10' : `${7 + random.below(3)}.${random.digits(1)}0`;
}

function group(random: Random): string {
  return `{"groupId":${random.below(1000)},"name":${text(random.pick(words.groups))},"items":[${random.below(9)}],"parent":${random.once(2) ? 'null' : '{"groupId":1}'}}`;
}

function coolingUnit(random: Random): string {
  if (random.once(2)) return 'null';
  return `{"serial":"00${random.digits(6)}","setpoint":-${random.below(25)}.50,"engineHours":1.${random.digits(2)}E+4,"compartments":[{"no":1,"temperature":-0.0},{"no":2,"temperature":null}]}`;
}

function driver(random: Random): string {
  return random.once(3)
    ? 'null'
    : `{"name":${text(random.pick(words.people))},"cardId":"DE${random.digits(6)}${random.digits(6)}"}`;
}
