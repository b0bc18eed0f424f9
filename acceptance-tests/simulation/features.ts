/** What a scenario may have; each can be left out, to tell which one a failure needs. */
export const FEATURES = [
  'kills',
  'stops',
  'outages',
  'limits',
  'faults',
  'slow reader',
  'earlier states',
  'full refresh',
  'several chains',
  'dates',
  'lookback changes',
  'wrong created field',
  'disorder',
  'late rows',
  'future rows',
  'rows without time',
  'varying times',
  'local times',
  'dead cursors',
  'first page for dead cursors',
  'empty pages',
  'moving assets',
  'odd totals',
  'number ids',
  'no ids',
  'altered rows',
  'scarce tokens',
] as const;

export type Feature = (typeof FEATURES)[number];

/** The features to leave out: names behind commas, as a person writes them. */
export function parseFeatures(text: string): ReadonlySet<Feature> {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.filter((name) => !FEATURES.includes(name as Feature));
  if (unknown.length > 0)
    throw new Error(`no such features: ${unknown.join(', ')}; there are ${FEATURES.join(', ')}`);
  return new Set(names as Feature[]);
}

/** Gives what was drawn, or what stands in for it where the feature is left out. */
export type Choose = <const T>(feature: Feature, drawn: T, plain: T) => T;

export function chooser(without: ReadonlySet<Feature>): Choose {
  return (feature, drawn, plain) => (without.has(feature) ? plain : drawn);
}
