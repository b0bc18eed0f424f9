// The floor: fetches pages and writes as many bytes as a connector would, without inspecting them.
// Arguments: base URL, kind, rows, page size, concurrent requests, total bytes to write.
// Plain JavaScript, so that nothing is compiled at start.
import { Agent, get } from 'node:http';

const [base, kind, rowsText, sizeText, flightText, bytesText] = process.argv.slice(2);
const [rows, size, flight, total] = [rowsText, sizeText, flightText, bytesText].map(Number);
const agent = new Agent({ keepAlive: true });
const headers = { authorization: 'Bearer bench-token', accept: 'application/json' };

function fetchPage(at) {
  const query =
    kind === 'assets' ? `limit=${size}&offset=${at}` : `limit=${size}${at === 0 ? '' : `&after=c${at}`}`;
  return new Promise((resolve, reject) => {
    get(`${base}/v1/${kind}?${query}`, { agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', reject);
    }).on('error', reject);
  });
}

const pages = Math.ceil(rows / size);
const filler = Buffer.alloc(Math.ceil(total / pages) || 0, 'x');
const pending = [];
for (let page = 0; page < pages; page++) {
  while (pending.length < flight && page + pending.length < pages)
    pending.push(fetchPage((page + pending.length) * size));
  await pending.shift();
  if (total > 0) await new Promise((resolve) => process.stdout.write(filler, resolve));
}
agent.destroy();
