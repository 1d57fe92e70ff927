import { TestCluster } from '../search-support.ts';
import { nodeSecurity } from './node-security.ts';
import type { Transport } from './transport.ts';

const administrator = { username: 'elastic', password: 'embedded-bootstrap' };

/**
 * Three embedded nodes in three zones with security, as the real ones are booted, on a clock that moves while a caller
 * waits.
 */
export async function embeddedTransport(): Promise<Transport> {
  const test = await TestCluster.formed(
    3,
    {
      clusterName: 'held-against',
      security: { bootstrapPassword: administrator.password },
      settings: { 'path.repo': ['/contract-repositories'] },
      // As long as a server takes to start its security index after all nodes were away.
    },
    (at) => ({ bootMs: 2_000, securityStartMs: 4_000, security: nodeSecurity(at) }),
  );
  return {
    administrator,
    pass: (ms) => test.clock.advance(ms),
    restart: async () => {
      for (const node of test.nodes) node.stop();
      for (const node of test.nodes) node.start();
    },
    oneNode: async (what, at) => {
      const node = test.nodes[at]!;
      if (what === 'stop') node.stop();
      else node.start();
    },
    close: async () => {},
    ownSecurity: true,
    async send(method, target, headers, body, at) {
      const node = test.nodes[at]!;
      const mark = target.indexOf('?');
      const [path, query] = mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
      const answer = await test.settle(node.handle({ method, host: node.ip, path, query, headers, body }));
      const bytes = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
      const lowerCase = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]);
      return {
        status: answer.status,
        headers: Object.fromEntries(lowerCase),
        body: method === 'HEAD' ? Buffer.alloc(0) : bytes,
      };
    },
  };
}
