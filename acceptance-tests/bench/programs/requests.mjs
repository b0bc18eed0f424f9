// What requests cost by themselves: asks for each address that it is given, one row of each list, and throws the answers away.
// Without an address it loads the same and asks for nothing.
import { Agent, get } from 'node:http';

const agent = new Agent({ keepAlive: true });
const headers = { authorization: 'Bearer bench-token', accept: 'application/json' };

await Promise.all(
  process.argv.slice(2).map(
    (url) =>
      new Promise((resolve, reject) => {
        get(url, { agent, headers }, (response) => {
          response.on('data', () => undefined);
          response.on('end', resolve);
        }).on('error', reject);
      }),
  ),
);
agent.destroy();
