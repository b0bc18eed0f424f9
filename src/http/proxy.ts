import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../config/addresses.ts';
import { valueHint } from '../config/value-hint.ts';
import { configError } from '../errors.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A proxy, and the environment variable that sets it. */
export interface Proxy {
  readonly url: URL;
  readonly variable: string;
}

/** The proxy that the environment sets for a URL; null for none. Throws a config_error PROXY, which never quotes a password. */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): Proxy | null {
  if (isLoopback(url.hostname)) return null;
  const { name, value } = settingFor(url, env);
  if (value === '' || isExempt(url, settingOf('NO_PROXY', env).value)) return null;
  const proxy = parseProxy(value);
  if (proxy !== null) return { url: proxy, variable: name };
  const message =
    `the environment variable ${name} must be the URL of an http or https proxy, such as ` +
    `http://proxy.example:3128. ${problemOf(value)} To use no proxy, unset it or add ${url.hostname} to NO_PROXY.`;
  throw configError('PROXY', message);
}

/** What is probably wrong with the value of a variable that is no proxy, in a sentence without any part of it, which may be secret. */
function problemOf(value: string): string {
  if (/^socks/i.test(value)) return 'SOCKS proxies are not supported.';
  const hint = valueHint(value);
  if (hint !== null) return `Its value ${hint}`;
  if (value.includes('\\'))
    return 'Percent-encode the backslash between a domain and a user name as %5C: DOMAIN%5Cuser.';
  return 'Percent-encode special characters of the user name and the password, such as @ as %40 and % as %25.';
}

/** What a failed direct connection may have to do with proxies; begins with a space, or is empty. */
export function proxyHint(url: URL, env: NodeJS.ProcessEnv): string {
  if (isLoopback(url.hostname)) return '';
  const { name, value } = settingFor(url, env);
  if (value === '') return ` If this network requires a proxy, set ${name}.`;
  const exceptions = settingOf('NO_PROXY', env);
  return isExempt(url, exceptions.value) ? ` ${exceptions.name} exempts ${url.hostname} from ${name}.` : '';
}

/** The parts of the environment's proxy URLs that must not appear in any output. */
export function proxySecrets(env: NodeJS.ProcessEnv): string[] {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => [name.toLowerCase(), name]);
  return names.flatMap((name) => {
    const proxy = parseProxy(env[name]?.trim() ?? '');
    if (proxy === null || proxy.password === '') return [];
    return [proxy.password, decodeURIComponent(proxy.password), credentialsOf(proxy)];
  });
}

/** The `proxy-authorization` header, if the URL of the proxy has credentials. */
export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(credentialsOf(proxy)).toString('base64')}` };
}

function credentialsOf({ username, password }: URL): string {
  return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
}

/** The first of these variables that is not empty, as for curl: of the scheme, then for all, each in lower case first. */
function settingFor(url: URL, env: NodeJS.ProcessEnv) {
  const ofScheme = settingOf(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', env);
  const ofAll = settingOf('ALL_PROXY', env);
  return ofScheme.value === '' && ofAll.value !== '' ? ofAll : ofScheme;
}

function settingOf(name: string, env: NodeJS.ProcessEnv) {
  const lower = env[name.toLowerCase()]?.trim() ?? '';
  return lower === '' ? { name, value: env[name]?.trim() ?? '' } : { name: name.toLowerCase(), value: lower };
}

/** A host as it may be looked up; a URL also takes quotes and the like for one. */
const HOST = /^[\w.:[\]-]+$/;

function parseProxy(value: string): URL | null {
  try {
    const proxy = new URL(value.includes('://') ? value : `http://${value}`);
    // throws if the credentials cannot be decoded and therefore cannot be sent
    credentialsOf(proxy);
    // a /, ? or # in a password ends the address, and what looks like the host is then a part of the password
    const isWhole = !/[?#]/.test(value) && !proxy.pathname.includes('@');
    const isUsable = isWhole && HOST.test(proxy.hostname) && Object.hasOwn(DEFAULT_PORTS, proxy.protocol);
    return isUsable ? proxy : null;
  } catch {
    return null;
  }
}

/** True if `NO_PROXY` lists the host or a parent domain, its IP address or range such as `10.0.0.0/8`, or `*`; each may have a port. */
function isExempt(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
  const listed = exceptions.toLowerCase().split(/[\s,]+/);
  return listed.some((exception) => {
    // an IPv6 address contains colons, so it must be in brackets if a port follows
    const [, bracketed, plain, onlyPort = port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(exception) ?? [];
    const name = bracketed ?? plain ?? exception;
    return name !== '' && onlyPort === port && (name === '*' || isWithin(host, name));
  });
}

function isWithin(host: string, name: string): boolean {
  if (isIP(host) === 0) return `.${host}`.endsWith(`.${name.replace(/^\*?\./, '')}`);
  const family = isIP(host) === 4 ? 'ipv4' : 'ipv6';
  const [network = '', length = family === 'ipv4' ? 32 : 128] = name.split('/');
  const range = new BlockList();
  try {
    range.addSubnet(network, Number(length), family);
    return range.check(host, family);
  } catch {
    // a host name, an invalid prefix length, or an address of the other family
    return false;
  }
}
