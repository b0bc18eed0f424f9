import { expect, test } from 'vitest';
import { memberText } from './json-member.ts';

test.each<[string, string[], string | undefined]>([
  ['{"a":1.10}', ['a'], '1.10'],
  ['{"a" : [1, {"b":"}"}] ,"b":-0.0 }', ['a'], '[1, {"b":"}"}]'],
  ['{"a" : [1, {"b":"}"}] ,"b":-0.0 }', ['b'], '-0.0'],
  [String.raw`{"x":"\\","a":"\"}{[,"}`, ['a'], String.raw`"\"}{[,"`],
  [String.raw`{"\u0061":null}`, ['a'], 'null'],
  ['{"b":{"a":1},"a":2}', ['a'], '2'],
  ['{"record":{"data":{ "data":1 },"meta":{}}}', ['record', 'data'], '{ "data":1 }'],
  ['{}', ['a'], undefined],
  ['[{"a":1}]', ['a'], undefined],
  ['{"a":1}', ['a', 'b'], undefined],
])('in %s, %j is %s', (json, path, text) => {
  expect(memberText(json, path)).toBe(text);
});
