import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployCloudAssembly } from '@drover/cloud-world';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterInputs, synthesiseCluster } from './cluster-app.ts';
import { DeployedCluster } from './deployed-cluster.ts';

const minute = 60_000;
const hour = 60 * minute;
const inputs = { masterCount: 1, dataCount: 1, greenWithinMinutes: 30 };
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function assembly(change: Partial<ClusterInputs> = {}): string {
  process.env.CDK_VALIDATION = 'false';
  const folder = mkdtempSync(join(tmpdir(), 'green-cluster-'));
  folders.push(folder);
  return synthesiseCluster(folder, { ...inputs, ...change });
}

/** A deployment; its failure as text. */
const deploy = async (deployed: DeployedCluster, folder: string, limitMs = 12 * hour) =>
  await deployed.until(
    deployCloudAssembly(deployed.world, folder).then(
      () => 'deployed',
      (error: Error) => error.message,
    ),
    limitMs,
  );

const running = ({ world }: DeployedCluster) =>
  world.observe.instances().filter(({ state }) => state !== 'terminated' && state !== 'shutting-down');

beforeAll(() => DeployedCluster.preload());

describe('a deployment of a search cluster', () => {
  it('a deployment has a green cluster with all nodes when it says success, again after nodes were added, and fails when it stays yellow', async () => {
    const deployed = new DeployedCluster({ clusterName: 'logs', machines: 'configured' });
    const health = async () => {
      const { status, number_of_nodes } = await deployed.ask<Record<string, unknown>>('GET', '/_cluster/health');
      return [status, number_of_nodes];
    };

    expect(await deploy(deployed, assembly())).toBe('deployed');
    expect(await health()).toEqual(['green', 2]);
    expect(await deploy(deployed, assembly({ dataCount: 2 }))).toBe('deployed');
    expect(await health()).toEqual(['green', 3]);

    await deployed.search('PUT', '/wide', { settings: { number_of_shards: 1, number_of_replicas: 5 } });
    const failure = await deploy(deployed, assembly({ dataCount: 3 }), 3 * hour);
    expect(failure).toMatch(
      /was not green within 30 minutes: .*i-\w+ of logs: cluster yellow: 4 of 4 nodes have joined/,
    );
    expect(failure).toContain('UPDATE_ROLLBACK_COMPLETE');
  }, 120_000);

  it('a deployment whose nodes fail to boot fails with their reason, and its roll-back leaves no instance', async () => {
    const deployed = new DeployedCluster({ clusterName: 'logs', machines: 'configured' });
    const { clock, world } = deployed;
    const operation = 'GetSecretValue';
    for (const subject of ['MastersRole', 'DataNodesRole'])
      world.engine.faults.add({
        service: 'secretsmanager',
        operation,
        subject,
        effect: { kind: 'error', status: 403 },
      });
    const began = clock.now();

    const failure = await deploy(deployed, assembly());

    expect(failure).toContain('the cluster was not green within 30 minutes: 0 of 1 masters and 0 of 1 data nodes');
    expect(failure).toMatch(/i-\w+ of logs(-data)?: boot failed: .*cluster-cli node secret/);
    expect(clock.now() - began).toBeLessThan(2 * hour);
    expect(running(deployed)).toEqual([]);
  }, 120_000);
});

describe('launches of search instances that reach nothing', () => {
  /** Nothing that instances of both groups ask of AWS succeeds. */
  const cutOff = ({ world }: DeployedCluster, subject: string) =>
    world.engine.faults.add({ subject, effect: { kind: 'error', status: 500 } });
  const retained = (deployed: DeployedCluster) =>
    deployed.members().filter(({ state }) => state === 'Terminating:Retained');

  it('a launch whose hook runs out before there is a cluster leaves no retained instance', async () => {
    const deployed = new DeployedCluster({ clusterName: 'logs', machines: 'configured' });
    cutOff(deployed, 'MastersRole');
    cutOff(deployed, 'DataNodesRole');
    await deploy(deployed, assembly({ greenWithinMinutes: 0 }));
    await deployed.clock.advance(5 * hour);

    expect(retained(deployed)).toEqual([]);
    expect(running(deployed).length).toBeLessThanOrEqual(4);
  }, 120_000);

  it('a launch whose hook runs out in a cluster that is not green is released after it was retained', async () => {
    const deployed = new DeployedCluster({ clusterName: 'logs', machines: 'configured' });
    await deploy(deployed, assembly({ greenWithinMinutes: 0 }));
    await deployed.clock.runUntil(() => deployed.inService().length === 2, hour);
    await deployed.search('PUT', '/wide', { settings: { number_of_shards: 1, number_of_replicas: 5 } });
    const [node] = deployed.inService('logs-data');
    cutOff(deployed, 'DataNodesRole');
    const sizes = { AutoScalingGroupName: 'logs-data', MaxSize: 2, DesiredCapacity: 2 };
    await deployed.aws('autoscaling', 'UpdateAutoScalingGroup', sizes);
    let kept = 0;
    await deployed.clock.runUntil(() => {
      kept = Math.max(kept, retained(deployed).length);
      return false;
    }, 5 * hour);

    expect(await deployed.health()).toBe('yellow');
    expect([kept, retained(deployed)]).toEqual([1, []]);
    expect(deployed.stateOf(node!)).toBe('InService');
  }, 120_000);
});
