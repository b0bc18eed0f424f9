// A simple reader: fetch, JSON.parse, one console.log per record, one page at a time.
// Arguments: base URL, kind, page size.
const [base, kind, size] = process.argv.slice(2);
const headers = { authorization: 'Bearer bench-token', accept: 'application/json' };

let offset = 0;
let after = '';
for (;;) {
  const byCursor = after === '' ? '' : `&after=${after}`;
  const place = kind === 'assets' ? `&offset=${offset}` : byCursor;
  const response = await fetch(`${base}/v1/${kind}?limit=${size}${place}`, { headers });
  const page = await response.json();
  for (const data of page.items)
    console.log(JSON.stringify({ type: 'RECORD', record: { stream: kind, emitted_at: Date.now(), data } }));
  offset += page.items.length;
  after = page.metadata.pagination.nextCursor ?? '';
  if (kind === 'assets' ? offset >= page.metadata.pagination.totalCount : after === '') break;
}
