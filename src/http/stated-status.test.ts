import { expect, test } from 'vitest';
import { statedStatus } from './stated-status.ts';

const stated = (text: string): number | null => statedStatus(Buffer.from(text), text);

test.each<[body: string, status: number | null]>([
  ['{"code":401,"message":"token expired","data":null}', 401],
  ['{"status":"404","title":"no such route"}', 404],
  ['{"statusCode":502,"body":""}', 502],
  ['{"http_status":429}', 429],
  ['{"error":{"code":403,"message":"no"}}', 403],
  ['{"errors":[{"status":"503","detail":"busy"}]}', 503],
  ['{"meta":{"status":500},"response":{}}', 500],
  // in words
  ['{"success":false,"msg":"Access token has expired"}', 401],
  ['{"success":false,"error":"TokenExpiredError"}', 401],
  ['{"note":"API rate limit exceeded: 5 calls a minute"}', 429],
  // none
  ['{"code":200,"message":"OK"}', null],
  ['{"code":40101,"message":"?"}', null],
  ['{"count":404,"total":500}', null],
  ['{"items":[{"assetId":"a"}],"code":404}', null],
  ['[{"code":404}]', null],
  ['<html>404</html>', null],
  ['', null],
])('%s states %j', (body, status) => {
  expect(stated(body)).toBe(status);
});

test('a large body states none', () => {
  expect(stated(`{"code":404,"text":"${'x'.repeat(100_000)}"}`)).toBe(null);
});
