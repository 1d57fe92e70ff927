import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterStage } from '@drover/stage/testing';
import { describe, expect, it } from 'vitest';
import { droverOnCluster } from './operator.test-support.ts';

describe('drover cluster status', () => {
  it('drover cluster status shows the health, each node with its disk and version, and what is in progress', async () => {
    const stage = await ClusterStage.open({ masterCount: 1, dataCount: 2 });
    const status = (...more: string[]) => droverOnCluster(stage, 'cluster', 'status', ...more);
    // The first alarms of a new cluster are over by then, and the first snapshot is taken.
    await stage.pass(100);

    const { exitCode, stdout, stderr } = await status();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^health +green, 3 nodes$/m);
    expect(stdout).toMatch(/^software +3 of 3 nodes have /m);
    expect(stdout).toMatch(/^snapshots +hourly-snapshots \d+ min ago; daily-snapshots /m);
    expect(stdout).toMatch(/^restore drill +none yet/m);
    expect(stdout).toMatch(/^certificates +\d+ days left$/m);
    expect(stdout).toMatch(/^audit log +enabled, but nothing is written with the licence basic \(active\)$/m);
    expect(stdout).toMatch(/^alarms +none$/m);
    expect(stdout).toMatch(/^i-\w+ +master \(elected\) +eu-west-1\w +InService +ip-\S+ +8\.19\.21 +- +-$/m);
    expect(
      stdout.match(/^i-\w+ +data +eu-west-1\w +InService +ip-\S+ +8\.19\.21 +\d+ +2 % of 100 GiB$/gm),
    ).toHaveLength(2);

    const { nodes } = JSON.parse((await status('--format', 'json')).stdout);
    const leaving = nodes.find(({ kind }: { kind: string }) => kind === 'data').node;
    const [id] = Object.entries((await stage.deployed.search<Nodes>('GET', '/_nodes')).nodes)
      .filter(([, { name }]) => name === leaving)
      .map(([nodeId]) => nodeId);
    await stage.deployed.search('PUT', `/_nodes/${id}/shutdown`, { type: 'restart', reason: 'a test' });
    expect((await status()).stdout).toMatch(new RegExp(`^in progress +restart of ${leaving} for .*: a test$`, 'm'));
  }, 120_000);

  it('drover cluster status still lists the instances when Elasticsearch cannot be reached, and exits with 3', async () => {
    const stage = await ClusterStage.open({ masterCount: 1, dataCount: 2 });

    const { exitCode, stdout } = await droverOnCluster(
      stage,
      'cluster',
      'status',
      '--url',
      'https://nowhere.example.com',
    );

    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^health +unknown: Elasticsearch could not be read, see drover cluster doctor$/m);
    expect(stdout.match(/^not shown +Elasticsearch: /gm)).toHaveLength(1);
    expect(stdout.match(/^i-\w+ +(master|data) +eu-west-1\w +InService +- +- +- +-$/gm)).toHaveLength(3);
  }, 120_000);
});

describe('drover cluster cost', () => {
  it('drover cluster cost prices the nodes and volumes of a month, and asks for prices that it does not have', async () => {
    const stage = await ClusterStage.open({ masterCount: 1, dataCount: 2, separateDataVolume: true });
    const cost = (...more: string[]) => droverOnCluster(stage, 'cluster', 'cost', ...more);

    const { exitCode, stdout, stderr } = await cost();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^master nodes +1 \(t3a\.medium\) +27\.45 USD\nmaster volumes +60 GiB +4\.80 USD$/m);
    expect(stdout).toMatch(/^data nodes +2 \(m6i\.large\) +140\.16 USD\ndata volumes +460 GiB +36\.80 USD$/m);
    expect(stdout).toMatch(/^total +209\.21 USD$/m);
    expect(JSON.parse((await cost('--format', 'json')).stdout)).toMatchObject({ currency: 'USD', total: 209.208 });

    const prices = join(mkdtempSync(join(tmpdir(), 'drover-prices-')), 'prices.json');
    const hour = { onDemand: 1, spot: 1 };
    const own = { region: 'here', currency: 'EUR', date: 'now', source: 'ours', volumeGiBMonth: 0.1 };
    writeFileSync(prices, JSON.stringify({ ...own, instanceHour: { 't3a.medium': hour } }));
    expect(await cost('--prices', prices)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/there is no price for m6i\.large; .*--prices FILE/),
    });
  }, 120_000);
});

interface Nodes {
  readonly nodes: Readonly<Record<string, { readonly name: string }>>;
}
