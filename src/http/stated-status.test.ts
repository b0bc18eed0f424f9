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
  // by name
  ['{"error":{"code":"Forbidden","message":"no access to module"}}', 403],
  ['{"error":{"code":"AuthorizationFailed","status":"PERMISSION_DENIED"}}', 403],
  ['{"error":"Unauthorized"}', 401],
  ['{"errors":[{"type":"https://x.example/errors/not-found"}]}', 404],
  ['{"__type":"com.example#AccessDeniedException","message":"no"}', 403],
  ['{"code":"ResourceNotFound","message":"no such list"}', 404],
  ['{"status":"METHOD_NOT_ALLOWED","detail":"GET"}', 405],
  ['{"message":"Forbidden."}', 403],
  ['{"fault":{"name":"TooManyRequestsError"}}', 429],
  ['{"error":"Internal Server Error"}', 500],
  ['{"error":"503 Service Unavailable"}', 503],
  ['{"error":"Forbidden","statusCode":404}', 404],
  // in words
  ['{"success":false,"msg":"Access token has expired"}', 401],
  ['{"success":false,"error":"TokenExpiredError"}', 401],
  ['{"note":"API rate limit exceeded: 5 calls a minute"}', 429],
  // none
  ['{"alarmId":"a","type":"UNAUTHORIZED","status":"Forbidden"}', null],
  ['{"error":"SubscriptionNotRegistered"}', null],
  ['{"error":{"code":"toString"}}', null],
  ['{"error":null,"status":"ok","message":"OK"}', null],
  ['{"message":"the forbidden list was not found"}', null],
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
