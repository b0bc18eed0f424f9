import type { Random } from './random.ts';

/** The parameters of a row's text. */
export interface RowDraft {
  readonly id: string;
  readonly row: number;
  readonly createdMicros: number;
  readonly random: Random; // depends only on the seed, the list and the row
  readonly created: string; // the member with the created time; empty if the row has none
  /** Returns the id of one of the first rows of another list. */
  readonly idIn: (list: 'assets') => string;
}

type Make = (draft: RowDraft) => string;

const own: Record<string, Make> = {
  id: ({ id }) => id,
  assetId: ({ idIn }) => idIn('assets'),
  row: ({ row }) => String(row).padStart(7, '0'),
  created: ({ created }) => created,
  later: ({ createdMicros, random }) =>
    `"${new Date(Math.floor(createdMicros / 1000) + random.below(2_000_000_000)).toISOString()}"`,
};

/**
 * The equally likely values of a name in a template: JSON texts, or contents of JSON strings with escapes. Numbers are
 * written as by a server with decimals: `125034.10`, `7350.0`, `9007199254740993`.
 */
const choices: Record<string, readonly string[]> = {
  assetType: ['TRAILER', 'TRUCK', 'DOLLY', 'SWAP_BODY', 'REEFER'],
  brand: ['Nordwagen', 'Trailmark', 'Vélocargo', 'Haulwerk', 'Kärra', 'Bergauf'],
  model: ['Cool Liner', 'Box 13.6', 'Mega', 'Coil', 'Curtain S', 'Tank 34'],
  country: ['DE', 'FR', 'NL', 'PL', 'SE', 'ES', 'IT', 'CZ'],
  letter: 'ABCDEFGHJKLMNPRSTUVWXYZ'.split(''),
  sign: ['', '', '', '-'],
  tag: ['"adr"', '"leased"', '"spare"', '"Überführung"', '"north"', '"winter-tyres"', '"high \\"value\\""'],
  group: ['Hamburg', 'Łódź', 'Malmö', 'São Paulo', 'Zürich', 'Île-de-France'],
  person: ['Åsa Öberg', 'José Núñez', "Siobhán O'Neil", 'Jan Kowalski', 'Đorđe Marić', '山田 太郎'],
  alarmType: ['TYRE_PRESSURE', 'DOOR_OPEN', 'TEMPERATURE', 'EBS', 'GEOFENCE', 'BATTERY', 'COUPLING'],
  severity: ['INFO', 'WARNING', 'CRITICAL'],
  status: ['OPEN', 'ACKNOWLEDGED', 'CLOSED'],
  unit: ['bar', '°C', 'V', 'km/h', '%'],
  note: [
    'Inspected; no findings.',
    'Kühlaggregat läuft im \\"eco\\" Modus – 5 °C',
    'Path C:\\\\fleet\\\\docs\\/2025, see \\u00e9tat',
    'Plane gerissen 🚛💨 hinten links',
    'one\\nline, then\\ta tab',
    'line\u2028separator and para\u2029graph and next\u0085line, raw',
    'looks like {\\"items\\":[{\\"metadata\\":{\\"pagination\\":{\\"nextCursor\\":\\"x\\"}}}]}',
    'emoji by escape: \\ud83d\\ude9b, family 👨‍👩‍👧, flag 🇸🇪',
    'שלום, مرحبا, 你好, नमस्ते',
    '',
  ],
  message: [
    'Tyre pressure below threshold',
    'Tür hinten \\"offen\\" während der Fahrt',
    'Température trop élevée : 9,5\\u00a0°C ≥ 8\\u00a0°C',
    'Battery \\/ solar: low 🔋',
    'Kopplung gelöst\\r\\nPosition prüfen',
    'separator \u2028 inside, raw',
    'EBS \\u26a0 code \\\\x1F',
    '制動装置の異常',
  ],
  speed: ['0.0', '<0-89>.<#>'],
  position: [
    '{"latitude":<36-61>.<######>,"longitude":<sign><0-23>.<######>,"speedKph":<speed>,"heading":<0-359>,"at":<later>}',
  ],
  parent: ['null', '{"groupId":1}'],
  assetGroup: ['{"groupId":<0-999>,"name":"<group>","items":[<0-8>],"parent":<parent>}'],
  pressure: ['1.10', '<7-9>.<#>0', '<7-9>.<#>0', '<7-9>.<#>0'],
  coolingUnit: [
    'null',
    '{"serial":"00<######>","setpoint":-<0-24>.50,"engineHours":1.<##>E+4,' +
      '"compartments":[{"no":1,"temperature":-0.0},{"no":2,"temperature":null}]}',
  ],
  driver: ['null', '{"name":"<person>","cardId":"DE<######><######>"}'],
  decimal: ['1.10', '1E-7', '-0.0', '-<0-39>.<##>', '<0-199>.<#>0', '<0-199>.<#>0'],
  wheel: ['{"side":"L","bar":<decimal>}', '{"side":"R","bar":<decimal>}'],
  details: [
    '{"items":[],"pagination":{"nextCursor":""}}',
    '{"axle":<1-5>,"wheels":<wheel*0-3>,"history":[[1,2.50],[],[null,true]]}',
  ],
  acknowledged: [
    '"acknowledgedBy":null,"acknowledgedDate":null',
    '"acknowledgedBy":{"user":"<person>","role":"dispatcher"},"acknowledgedDate":<later>',
  ],
  geofence: ['null', '{"id":"G-<###>","name":"<group>"}'],
};

// `assetId` and `vin` of assets are specified by the API; all other members of all lists are invented.

export const assetText = template(
  '{"assetId":"<id>","vin":"WSX<letter><letter><letter><####><row>","name":"<model> #<row>",' +
    '"licensePlate":"<letter><letter> <letter> <####>","assetType":"<assetType>","brand":"<brand>",' +
    '"model":"<model>","year":<2008-2025>,"registrationCountry":"<country>","odometerKm":<0-899999>.<#>0,' +
    '"emptyWeightKg":<400-999>0.0,"deviceSerial":9007199254<#><######>,"axles":<1-5>,"tags":<tag*0-3>,' +
    '"groups":<assetGroup*0-2>,"lastPosition":<position>,' +
    '"dimensions":{"lengthM":13.<##>,"heightM":4.00,"inner":{"lengthM":13.6,"volumeM3":9<#>.50}},' +
    '"tyrePressures":<pressure*2-10>,"coolingUnit":<coolingUnit>,"notes":"<note>","driver":<driver>,' +
    '<created>"updatedDate":<later>}',
);

export const alarmText = template(
  '{"alarmId":"<id>","assetId":"<assetId>",<created>"alarmType":"<alarmType>","severity":"<severity>",' +
    '"status":"<status>","message":"<message>","code":"00<####>","sequence":9007199254740<######>,' +
    '"value":<decimal>,"threshold":<0-8>.50,"unit":"<unit>","position":<position>,"details":<details>,' +
    '<acknowledged>,"readings":<decimal*0-4>,"tags":<tag*0-2>,"ruleId":<0-499>,"geofence":<geofence>}',
);

export const driverText = template(
  '{"driverId":"<id>","name":"<person>",<created>"license":"DE<######>","score":<decimal>,"updatedAt":<later>}',
);
export const depotText = template(
  '{"code":"<id>","city":"<group>",<created>"gates":<1-20>,"area":<1-9999>.<#>0,"note":"<note>"}',
);
export const tripText = template(
  '{"tripId":"<id>","assetId":"<assetId>",<created>"km":<#>.<##>0,"endedAt":<later>,"driver":<driver>,"note":"<note>"}',
);
export const positionText = template(
  '{"assetId":"<assetId>",<created>"serial":9007199254<#><######>,"position":<position>}',
);

/** Compiles a template: `<name>` is one of its choices, `<name*0-3>` an array, `<1-5>` a number, `<##>` digits. */
function template(text: string): Make {
  const parts = text.split(/<(.+?)>/).map((part, at): Make => (at % 2 === 0 ? () => part : made(part)));
  return (draft) => parts.map((make) => make(draft)).join('');
}

function made(part: string): Make {
  const [, name = '', low, high] = /^(?:(\w+)\*)?(\d+)-(\d+)$/.exec(part) ?? [];
  if (low !== undefined) {
    const number = ({ random }: RowDraft) => Number(low) + random.below(1 + Number(high) - Number(low));
    if (name === '') return (draft) => String(number(draft));
    const item = made(name);
    return (draft) => `[${Array.from({ length: number(draft) }, () => item(draft)).join(',')}]`;
  }
  if (part.startsWith('#')) return ({ random }) => random.digits(part.length);
  const makes = choices[part]?.map(template) ?? [];
  return own[part] ?? ((draft) => draft.random.pick(makes)(draft));
}
