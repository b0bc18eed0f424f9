/** Members that a reader which parses and writes anew would alter. */
const EXTRAS = [
  '',
  ',"odometer":1.10',
  ',"serial":9007199254740993',
  ',"note":"a\\u0041\\/b"',
  ',"gap": -0.0 ,"big":1E-7',
  ',\n  "note": "line\u2028end é"',
  ',"inner":{"createdDate":"1999-01-01T00:00:00Z","items":[1,{"assetId":"x"}]}',
  ',"twice":1,"twice":2',
];

/** Some members more, which differ from row to row. */
export function extraMembers(row: number): string {
  return EXTRAS[row % EXTRAS.length] ?? '';
}
