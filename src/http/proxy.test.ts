import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { proxyAuthorization, proxyFor, proxyHint, proxySecrets } from './proxy.ts';

const PROXY = 'http://proxy.example:3128';

function chosen(address: string, environment: NodeJS.ProcessEnv): string | null {
  return proxyFor(new URL(address), environment)?.url.href ?? null;
}

test.each<[what: string, environment: NodeJS.ProcessEnv, address: string, proxy: string | null]>([
  ['nothing set', {}, 'https://api.example', null],
  ['https', { HTTPS_PROXY: PROXY }, 'https://api.example', 'http://proxy.example:3128/'],
  ['https, but only http is set', { HTTP_PROXY: PROXY }, 'https://api.example', null],
  ['http', { HTTP_PROXY: PROXY }, 'http://api.example', 'http://proxy.example:3128/'],
  ['http, but only https is set', { HTTPS_PROXY: PROXY }, 'http://api.example', null],
  ['lower case', { https_proxy: PROXY }, 'https://api.example', 'http://proxy.example:3128/'],
  ['both cases', { https_proxy: 'http://low', HTTPS_PROXY: PROXY }, 'https://api.example', 'http://low/'],
  ['lower case is empty', { https_proxy: '', HTTPS_PROXY: PROXY }, 'https://api.example', `${PROXY}/`],
  ['lower case is blank', { http_proxy: ' ', HTTP_PROXY: PROXY }, 'http://api.example', `${PROXY}/`],
  ['all', { ALL_PROXY: PROXY }, 'https://api.example', `${PROXY}/`],
  [
    'all, in lower case, and the other scheme',
    { all_proxy: PROXY, HTTPS_PROXY: 'http://s' },
    'http://api.example',
    `${PROXY}/`,
  ],
  ['all and the scheme', { all_proxy: 'http://all', HTTPS_PROXY: PROXY }, 'https://api.example', `${PROXY}/`],
  ['all and an empty scheme', { all_proxy: PROXY, https_proxy: '' }, 'https://api.example', `${PROXY}/`],
  [
    'all, but exempt by upper case',
    { all_proxy: PROXY, no_proxy: '', NO_PROXY: 'api.example' },
    'https://api.example',
    null,
  ],
  ['spaces', { HTTPS_PROXY: ` ${PROXY} ` }, 'https://api.example', 'http://proxy.example:3128/'],
  ['no scheme', { HTTPS_PROXY: 'proxy.example:3128' }, 'https://api.example', 'http://proxy.example:3128/'],
  [
    'an https proxy',
    { HTTPS_PROXY: 'https://proxy.example' },
    'https://api.example',
    'https://proxy.example/',
  ],
  ['localhost', { HTTP_PROXY: PROXY }, 'http://localhost:80', null],
  ['127.1.2.3', { HTTPS_PROXY: PROXY }, 'https://127.1.2.3', null],
  ['::1', { HTTP_PROXY: PROXY }, 'http://[::1]:8080', null],
])('%s', (_, environment, address, proxy) => {
  expect(chosen(address, environment)).toBe(proxy);
});

test.each<[exceptions: string, address: string, isExempt: boolean]>([
  ['*', 'https://api.example', true],
  ['api.example', 'https://api.example', true],
  ['API.Example', 'https://api.example', true],
  ['api.example', 'https://sub.api.example', true],
  ['.api.example', 'https://sub.api.example', true],
  ['.api.example', 'https://api.example', true],
  ['*.api.example', 'https://sub.api.example', true],
  ['api.example', 'https://xapi.example', false],
  ['api.example', 'https://api.example.org', false],
  ['example', 'https://api.example', true],
  ['a, api.example', 'https://api.example', true],
  ['a b\tapi.example,,', 'https://api.example', true],
  ['a', 'https://api.example', false],
  ['', 'https://api.example', false],
  ['api.example:443', 'https://api.example', true],
  ['api.example:8443', 'https://api.example', false],
  ['api.example:8443', 'https://api.example:8443', true],
  ['*:8443', 'https://api.example:8443', true],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['10.1.2.3', 'https://10.1.2.4', false],
  ['2.3', 'https://10.1.2.3', false],
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['10.0.0.0/8:443', 'https://10.1.2.3', true],
  ['10.0.0.0/33', 'https://10.1.2.3', false],
  ['10.0.0.0/x', 'https://10.1.2.3', false],
  ['10.0.0.0/8', 'https://api.example', false],
  ['fd00::1', 'https://[fd00::1]', true],
  ['[fd00::1]', 'https://[fd00::1]', true],
  ['[fd00::1]:443', 'https://[fd00::1]', true],
  ['[fd00::1]:444', 'https://[fd00::1]', false],
  ['fd00::/8', 'https://[fd12::1]', true],
  ['fd00::/8', 'https://[fe12::1]', false],
  ['::ffff:0:0/96', 'https://10.1.2.3', false],
])('NO_PROXY %j and %s: %s', (exceptions, address, isExempt) => {
  const environment = { HTTPS_PROXY: PROXY };
  expect(chosen(address, { ...environment, NO_PROXY: exceptions })).toBe(
    isExempt ? null : 'http://proxy.example:3128/',
  );
  expect(chosen(address, { ...environment, no_proxy: exceptions, NO_PROXY: 'other' })).toBe(
    isExempt ? null : 'http://proxy.example:3128/',
  );
});

test('a setting is named as it is in the environment', () => {
  const url = new URL('https://api.example');
  const names = [{ https_proxy: PROXY }, { HTTPS_PROXY: PROXY, https_proxy: '' }, { ALL_PROXY: PROXY }].map(
    (environment) => [
      proxyFor(url, environment)?.variable,
      proxyHint(url, { ...environment, no_proxy: '*' }).replace(' no_proxy exempts api.example from ', ''),
    ],
  );
  expect(names).toStrictEqual(
    ['https_proxy.', 'HTTPS_PROXY.', 'ALL_PROXY.'].map((name) => [name.slice(0, -1), name]),
  );
  expect(proxyHint(url, {})).toBe(' If this network requires a proxy, set HTTPS_PROXY.');
});

const ENCODE =
  'Percent-encode special characters of the user name and the password, such as @ as %40 and % as %25.';
const SOCKS = 'SOCKS proxies are not supported.';
const WRAPPED = 'Its value begins or ends with white space or a quote: is that intended?';
const PLACEHOLDER = 'Its value looks like a placeholder: was its value not filled in?';
const DOMAIN = 'Percent-encode the backslash between a domain and a user name as %5C: DOMAIN%5Cuser.';

test.each([
  ['socks5://canary@proxy.example', SOCKS],
  ['socks5h://127.0.0.1:1080', SOCKS],
  ['SOCKS4A://canary', SOCKS],
  ['http://', ENCODE],
  ['ftp://canary', ENCODE],
  ['http://a:%zz-canary@b', ENCODE],
  ['http://a:p@canary#@proxy.example', ENCODE],
  ['http://a:p@canary?@proxy.example:3128', ENCODE],
  ['http://a:p@canary/@proxy.example:3128', ENCODE],
  ['canary canary', ENCODE],
  ['"http://a:canary@proxy.example:3128"', WRAPPED],
  ["'proxy.example'", WRAPPED],
  ['\u201chttp://proxy.example:3128\u201d', WRAPPED],
  ['http://proxy.example:3128"', WRAPPED],
  [
    'https_proxy=http://a:canary@proxy.example',
    'Its value has a name in it, like a file of settings: was only the value meant?',
  ],
  ['http://${CANARY}:3128', PLACEHOLDER],
  ['http://$CANARY', PLACEHOLDER],
  ['http://CORP\\user:canary@proxy.example:3128', DOMAIN],
  ['CORP\\user:canary@proxy.example:3128', DOMAIN],
])(
  'an invalid proxy (%s) is a config_error that does not show it, unless no request needs it',
  (value, problem) => {
    const environment = { https_proxy: value };
    let error: unknown;
    try {
      proxyFor(new URL('https://api.example'), environment);
    } catch (thrown) {
      error = thrown;
    }
    expect(isConnectorError(error, 'PROXY')).toBe(true);
    expect((error as Error).message).toBe(
      'the environment variable https_proxy must be the URL of an http or https proxy, such as ' +
        `http://proxy.example:3128. ${problem} To use no proxy, unset it or add api.example to NO_PROXY.`,
    );
    expect(chosen('https://api.example', { ...environment, NO_PROXY: '*' })).toBeNull();
    expect(chosen('http://api.example', environment)).toBeNull();
    expect(proxySecrets(environment)).toStrictEqual([]);
  },
);

test('credentials are sent decoded, and all their forms are secrets', () => {
  const environment = {
    HTTPS_PROXY: 'http://me:p%40ss%20word@proxy.example',
    http_proxy: 'http://me@proxy.example',
    all_proxy: 'http://me:other@proxy.example',
  };
  expect(proxySecrets(environment)).toStrictEqual([
    'p%40ss%20word',
    'p@ss word',
    'me:p@ss word',
    'other',
    'other',
    'me:other',
  ]);
  expect(proxyAuthorization(new URL(environment.HTTPS_PROXY))).toStrictEqual({
    'proxy-authorization': `Basic ${Buffer.from('me:p@ss word').toString('base64')}`,
  });
  expect(proxyAuthorization(new URL(PROXY))).toStrictEqual({});
});
