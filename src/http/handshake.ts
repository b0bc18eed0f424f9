const OF_CLIENT =
  'The server requires a certificate of the client, which cannot be sent: ask its operator for an address that requires none.';
const VERSION = 'Ask the operator of the server to offer TLS 1.2 or later.';
const CIPHER = 'Ask the operator of the server to allow one of the usual ciphers of TLS 1.2 or later.';
const STRENGTH = 'Ask the operator of the server for stronger keys and signatures.';
/** Servers give this alert for lack of anything that both sides accept. */
const NO_REASON =
  'Check KEY: the server may not know its host. Otherwise ask the operator of the server: it must offer TLS 1.2 or later with a common ' +
  'cipher, and must not require a certificate of the client.';
const ODD = 'Check KEY, and ask the operator of the server, or of a firewall on the way, about this.';

/** What to do about the reasons of OpenSSL, most of which are alerts of the server; the first that fits counts. */
const ADVICE: readonly [reason: RegExp, advice: string][] = [
  [
    /certificate required|alert (bad|unsupported|unknown|revoked|expired)? ?(certificate|ca\b)|access denied/i,
    OF_CLIENT,
  ],
  [/protocol version|unsupported protocol|no protocols|inappropriate fallback/i, VERSION],
  [/insufficient security|cipher/i, CIPHER],
  [/too (small|weak)/i, STRENGTH],
  [/unrecognized name/i, 'Check KEY: the server does not know its host.'],
  [/no application protocol/i, 'Name the port for HTTP/1.1 in KEY.'],
  [/handshake failure/i, NO_REASON],
];

/** What to do about a TLS handshake that failed, by the reason that OpenSSL gives. `KEY` stands for the config key of the address. */
export function handshakeAdvice(reason: string): string {
  return ADVICE.find(([words]) => words.test(reason))?.[1] ?? ODD;
}
