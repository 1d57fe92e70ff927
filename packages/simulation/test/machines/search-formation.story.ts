import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxCluster } from './cluster/linux-cluster.ts';

const counts = { masterCount: Number(process.env.MASTERS ?? 3), dataCount: Number(process.env.DATA ?? 2) };
let cluster: LinuxCluster;

beforeAll(async () => {
  cluster = await LinuxCluster.deploy(counts);
});
afterAll(async () => await cluster?.end());

interface Health {
  readonly status: string;
  readonly number_of_nodes: number;
}

const health = (id: string) => cluster.ask<Health>(id, 'GET', '/_cluster/health');

describe('a search cluster on real machines', () => {
  it('a deployed search cluster is green, and every node is in service', async () => {
    const { masterCount, dataCount } = counts;
    expect(cluster.inService('master')).toHaveLength(masterCount);
    expect(cluster.inService('data')).toHaveLength(dataCount);
    expect(await health(cluster.inService('data')[0]!)).toMatchObject({
      status: 'green',
      number_of_nodes: masterCount + dataCount,
    });
  });

  it('debug', async () => {
    await cluster.explain();
    for (const id of cluster.linux.running)
      console.log(
        (
          await cluster.linux.try(
            id,
            'systemctl --failed; systemctl status drover-settle drover-commission elasticsearch-seeds --no-pager; cat /etc/elasticsearch/unicast_hosts.txt; free -m; ls -la /etc/elasticsearch',
          )
        ).stdout,
      );
  });
});
