import { expect, it } from 'vitest';
import { ContractTarget, standInHeader } from './contract-target.ts';
import type { Transport } from './transport.ts';

/** A server whose requests to a path return these bodies one after the other, the last one for ever. */
function server(bodies: Readonly<Record<string, readonly object[]>>, mark: Readonly<Record<string, string>> = {}) {
  const asked: string[] = [];
  const transport: Transport = {
    administrator: { username: 'a', password: 'b' },
    restart: undefined,
    oneNode: undefined,
    ownSecurity: false,
    pass: async () => {},
    close: async () => {},
    send: async (method, target) => {
      const path = target.split('?')[0]!;
      const before = asked.filter((each) => each === `${method} ${path}`).length;
      asked.push(`${method} ${path}`);
      const all = bodies[path] ?? [{}];
      const body = Buffer.from(JSON.stringify(all[Math.min(before, all.length - 1)]));
      return { status: 200, headers: { 'content-type': 'application/json', ...mark }, body };
    },
  };
  const facts = { nodes: [], clusterName: 'c', version: '8.19.21', repositoryPath: undefined };
  return { asked, target: new ContractTarget('a case', transport, facts) };
}

const atRest = { timed_out: false };
const recovering = { other: { shards: [{ id: 0, stage: 'INDEX' }] } };

it('a contract case begins when the recoveries of other indices have ended', async () => {
  const { asked, target } = server({ '/_cluster/health': [atRest], '/_recovery': [recovering, recovering, {}] });

  await target.index('mine');

  expect(asked.filter((each) => each === 'GET /_recovery')).toHaveLength(3);
});

it('a contract case waits on when the health of the cluster timed out', async () => {
  const { asked, target } = server({ '/_cluster/health': [{ timed_out: true }, atRest], '/_recovery': [{}] });

  await target.rest();

  expect(asked.filter((each) => each === 'GET /_cluster/health')).toHaveLength(2);
});

it('a cluster whose recoveries never end fails the contract case', async () => {
  const { target } = server({ '/_cluster/health': [atRest], '/_recovery': [recovering] });

  await expect(target.rest()).rejects.toThrow('a cluster without recoveries did not come about within 60 s');
});

it('a contract case does not compare, let alone record, what a stand-in of ours says', async () => {
  const { target } = server({}, { [standInHeader]: 'node-shutdown' });

  await expect(target.see('a step', 'GET', '/_nodes/shutdown')).rejects.toThrow('served by our node-shutdown');
});
