/** Serves prepared responses from a process of its own, so that no measured process shares its time. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const health = JSON.stringify({
  cluster_name: 'search',
  status: 'green',
  timed_out: false,
  number_of_nodes: 6,
  number_of_data_nodes: 3,
  active_primary_shards: 50_000,
  active_shards: 100_000,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 0,
  active_shards_percent_as_number: 100,
});

/** 100,000 shards as `_cat/shards` writes them. */
function shards(): Buffer {
  const lines = [
    'index                                        shard prirep state        docs   store dataset ip         node',
  ];
  for (let at = 0; at < 100_000; at++) {
    const index = `.ds-logs-nginx.access-default-2026.01.05-${String(at >> 1).padStart(6, '0')}`;
    const node = (at % 3) + 1;
    lines.push(
      `${index}     0 ${at & 1 ? 'r' : 'p'}      STARTED 12345678   4.2gb   4.2gb 10.0.12.${node}0 ip-10-0-12-${node}0`,
    );
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

const body = shards();
const server = createServer((request, response) => {
  request.resume();
  const { url = '' } = request;
  if (url.startsWith('/_cat/shards'))
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length }).end(body);
  else if (url.startsWith('/latest/api/token')) response.end('token');
  else if (url.startsWith('/latest/meta-data/')) response.end('InService');
  else response.writeHead(200, { 'content-type': 'application/json' }).end(health);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
