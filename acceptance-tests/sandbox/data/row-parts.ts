import type { Random } from './random.ts';

/** What the text of a row is made from. */
export interface RowDraft {
  readonly id: string;
  readonly row: number;
  readonly createdMicros: number;
  /** Choices that depend on the seed, the list and the row alone. */
  readonly random: Random;
  /** The JSON text of the created date; empty where the row has none. */
  readonly created: string;
  /** The id of one of the first rows of another list. */
  readonly idIn: (list: 'assets') => string;
}

/** Texts that rows are made of. `notes` and `messages` are JSON string contents, escapes included. */
export const words = {
  assetTypes: ['TRAILER', 'TRUCK', 'DOLLY', 'SWAP_BODY', 'REEFER'],
  brands: ['Nordwagen', 'Trailmark', 'Vélocargo', 'Haulwerk', 'Kärra', 'Bergauf'],
  models: ['Cool Liner', 'Box 13.6', 'Mega', 'Coil', 'Curtain S', 'Tank 34'],
  countries: ['DE', 'FR', 'NL', 'PL', 'SE', 'ES', 'IT', 'CZ'],
  tags: ['adr', 'reefer', 'leased', 'spare', 'Überführung', 'north', 'winter-tyres', 'high "value"'],
  groups: ['Hamburg', 'Łódź', 'Malmö', 'São Paulo', 'Zürich', 'Île-de-France'],
  people: ['Åsa Öberg', 'José Núñez', "Siobhán O'Neil", 'Jan Kowalski', 'Đorđe Marić', '山田 太郎'],
  alarmTypes: ['TYRE_PRESSURE', 'DOOR_OPEN', 'TEMPERATURE', 'EBS', 'GEOFENCE', 'BATTERY', 'COUPLING'],
  severities: ['INFO', 'WARNING', 'CRITICAL'],
  statuses: ['OPEN', 'ACKNOWLEDGED', 'CLOSED'],
  units: ['bar', '°C', 'V', 'km/h', '%'],
  notes: [
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
  messages: [
    'Tyre pressure below threshold',
    'Tür hinten \\"offen\\" während der Fahrt',
    'Température trop élevée : 9,5\\u00a0°C ≥ 8\\u00a0°C',
    'Battery \\/ solar: low 🔋',
    'Kopplung gelöst\\r\\nPosition prüfen',
    'separator \u2028 inside, raw',
    'EBS \\u26a0 code \\\\x1F',
    '制動装置の異常',
  ],
} as const;

/** The JSON text of a position. */
export function position(random: Random, atMs: number): string {
  return (
    `{"latitude":${36 + random.below(26)}.${random.digits(6)},"longitude":${random.once(4) ? '-' : ''}${random.below(24)}.${random.digits(6)},` +
    `"speedKph":${random.once(2) ? '0.0' : `${random.below(90)}.${random.digits(1)}`},"heading":${random.below(360)},"at":${instant(atMs)}}`
  );
}

/** The JSON text of a moment in whole milliseconds. */
export function instant(ms: number): string {
  return `"${new Date(ms).toISOString()}"`;
}

/** A JSON array of `count` texts. */
export function list(count: number, make: () => string): string {
  return `[${Array.from({ length: count }, make).join(',')}]`;
}

/** The JSON text of a plain string. */
export const text = (value: string): string => JSON.stringify(value);
