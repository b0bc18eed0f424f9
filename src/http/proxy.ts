import { BlockList, isIP } from 'node:net';

import { isLoopback } from '../config/config.ts';
import { configError } from '../errors.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy that the environment names for an address, null for none. Loopback, where http is allowed, stays in the machine.
 *
 * @throws config_error PROXY that names the variable, never its value, which may hold a password
 */
export function proxyFor(url: URL, environment: NodeJS.ProcessEnv): URL | null {
  const scheme = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = variable(scheme, environment);
  const isNone = value === '' || isLoopback(url.hostname) || isExempt(url, variable('NO_PROXY', environment));
  const proxy = isNone ? null : proxyUrl(value);
  if (isNone || proxy !== null) return proxy;
  const words =
    `the environment variable ${scheme} (or ${scheme.toLowerCase()}) must be the address of an http or https proxy, such as ` +
    `http://proxy.example:3128; to go without one, unset it or name ${url.hostname} in NO_PROXY.`;
  throw configError('PROXY', words);
}

/** Texts of the environment's proxy addresses that must not appear in any output. */
export function proxySecrets(environment: NodeJS.ProcessEnv): string[] {
  return ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((name) => {
    const proxy = proxyUrl(variable(name, environment));
    if (proxy === null || proxy.password === '') return [];
    return [proxy.password, decodeURIComponent(proxy.password), credentialsOf(proxy)];
  });
}

/** The header that opens a proxy, if its address has credentials. */
export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(credentialsOf(proxy)).toString('base64')}` };
}

function credentialsOf({ username, password }: URL): string {
  return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
}

function variable(name: string, environment: NodeJS.ProcessEnv): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? '').trim();
}

function proxyUrl(value: string): URL | null {
  try {
    const proxy = new URL(value.includes('://') ? value : `http://${value}`);
    // what cannot be decoded cannot be sent either
    credentialsOf(proxy);
    return Object.hasOwn(DEFAULT_PORTS, proxy.protocol) ? proxy : null;
  } catch {
    return null;
  }
}

/**
 * `NO_PROXY` lists, between commas or blanks, a host (with all its subdomains; `.host` and `*.host` mean the same), an IP
 * address, a range such as `10.0.0.0/8`, each with `:port` or without, or `*` for all.
 */
function isExempt(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
  const listed = exceptions.toLowerCase().split(/[\s,]+/);
  return listed.some((exception) => {
    // an address of version 6 has colons of its own, and stands in brackets ahead of a port
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
    // a name, a length that is none, or an address of the other kind
    return false;
  }
}
