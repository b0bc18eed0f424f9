// A reader as one writes it at first: fetch, JSON.parse, one console.log for each record, one page after the other.
// Arguments: address of the list, kind, page size.
const [base, kind, size] = process.argv.slice(2);
const headers = { authorization: 'Bearer bench-token', accept: 'application/json' };

let offset = 0;
let after = '';
for (;;) {
  const place = kind === 'assets' ? `&offset=${offset}` : after === '' ? '' : `&after=${after}`;
  const response = await fetch(`${base}/v1/${kind}?limit=${size}${place}`, { headers });
  const page = await response.json();
  for (const data of page.items)
    console.log(JSON.stringify({ type: 'RECORD', record: { stream: kind, emitted_at: Date.now(), data } }));
  offset += page.items.length;
  after = page.metadata.pagination.nextCursor ?? '';
  if (kind === 'assets' ? offset >= page.metadata.pagination.totalCount : after === '') break;
}
