import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, expect, it } from 'vitest';
import { droverOnCluster } from './operator.test-support.ts';

const from = '8.18.8';
const to = '8.19.21';
const inputs = { dataCount: 2, ui: true, elasticsearchVersion: from, anonymousMonitoring: false };
let stage: ClusterStage;

/** One cluster from its deployment on; each story goes on where the one before ended. */
beforeAll(async () => {
  stage = await ClusterStage.open(inputs);
  await stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  // Nodes report their certificates at their second configuration run, after half an hour.
  await stage.pass(35);
}, 300_000);

const versions = () => [...stage.deployed.nodes.values()].map(({ version }) => version);
const statusFor = async (path: string, host = 'logs') => (await stage.get(host, path, 'nobody')).status;

/** Whole also in the eyes of AWS: a load balancer with an unhealthy target raises an alarm. */
async function whole(): Promise<void> {
  await stage.pass(20);
  const { MetricAlarms } = await stage.drive(stage.aws.cloudwatch.send(new DescribeAlarmsCommand({})));
  const balancers = MetricAlarms!.filter(({ MetricName }) => MetricName === 'UnHealthyHostCount');
  expect(balancers.length).toBeGreaterThanOrEqual(2);
  expect(balancers.map(({ StateValue }) => StateValue)).toEqual(balancers.map(() => 'OK'));
  expect(await stage.deployed.health()).toBe('green');
  const doctor = await droverOnCluster(stage, 'cluster', 'doctor');
  expect(doctor.exitCode, doctor.stdout).toBe(0);
}

it('a cluster without anonymous access is deployed, has healthy targets only, and shows nothing without a login', async () => {
  for (const path of ['/', '/_cluster/health', '/_cluster/health?local=true', '/_nodes/stats', '/_cat/nodes'])
    expect([path, await statusFor(path)]).toEqual([path, 401]);
  expect(await statusFor('/api/status', 'kibana')).toBe(200);
  await whole();
});

it('a cluster without anonymous access is upgraded in place', async () => {
  const { exitCode, stderr } = await droverOnCluster(stage, 'cluster', 'upgrade', '--to', to);

  // Kibana is another deployment.
  expect({ exitCode, versions: versions() }, stderr).toEqual({ exitCode: 11, versions: Array(5).fill(to) });
  await stage.deploy({ ...inputs, elasticsearchVersion: to });
  await whole();
});

it('a cluster without anonymous access loses a node of each kind and gets them back in the version it was upgraded to', async () => {
  const lost = [stage.groups.master, stage.groups.data].map((group) => stage.deployed.inService(group)[0]!);
  for (const id of lost) {
    stage.deployed.nodeOf(id).crash({ silently: true });
    stage.world.machines.kill(id);
  }
  await stage.until('both are gone', () => lost.every((id) => stage.deployed.stateOf(id) === undefined));
  await stage.until('others are in service', () => stage.deployed.inService().length === 5);

  expect(versions()).toEqual(Array(5).fill(to));
  await whole();
});
