/** The exchange did not end with a whole answer: refused, reset, stalled, cut or too large. Always worth another attempt. */
export class HttpExchangeError extends Error {
  override readonly name = 'HttpExchangeError';
}

/** What a failure of the network says, its code included. */
export function networkMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // an AggregateError of several addresses tried has an empty message
  return [code, error.message].filter((part) => part !== '').join(': ');
}
