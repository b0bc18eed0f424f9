/** Something is missing that is not ours to mend: a Python, or a place on the internet. The message says what. */
export class NotAvailable extends Error {
  override readonly name = 'NotAvailable';
}
