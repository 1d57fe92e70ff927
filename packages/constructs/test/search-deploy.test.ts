import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { moduleVersion } from '@drover/core/names/version';
import { beforeAll, describe, expect, it } from 'vitest';
import { KibanaCredentials, SearchCluster, SearchUi } from '../src/index.ts';
import { DeployedWorld, stackName } from './deployed-cluster.test-support.ts';

const minuteMs = 60_000;
const deployed = new DeployedWorld();
const { world, sdk } = deployed;
/** Passwords that tasks of the web UI were started with. */
const passwords: string[] = [];
let physical: ReadonlyMap<string, string>;

/** The physical id of the one resource of the stack whose logical id begins so. */
const idOf = (logicalId: string) => {
  const found = [...physical].filter(
    ([id]) => id.startsWith(logicalId) && /^[0-9A-F]{8}$/.test(id.slice(logicalId.length)),
  );
  expect(found).toHaveLength(1);
  return found[0]![1];
};
const root = { credentials: world.rootCredentials };
const read = async (SecretId: string, caller = root) => {
  const answer = await world.aws.call('secretsmanager', 'GetSecretValue', { SecretId }, caller);
  return (answer as { readonly SecretString: string }).SecretString;
};

beforeAll(async () => {
  world.operate.registerImage(/kibana/, async ({ environment }) => {
    passwords.push(environment.ELASTICSEARCH_PASSWORD!);
    return async () => ({ status: 200, headers: {}, body: '{}' });
  });
  await deployed.deploy((stack, network) => {
    const common = { environment: 'test', ...network, masterCount: 1, dataCount: 1, greenWithinMinutes: 0 };
    const cluster = new SearchCluster(stack, 'Logs', { ...common, clusterName: 'logs' });
    new SearchCluster(stack, 'Metrics', { ...common, clusterName: 'metrics' });
    new SearchUi(stack, 'Ui', {
      environment: 'test',
      ...network,
      version: moduleVersion,
      elasticsearchUrl: cluster.clusterMasterUrl,
      elasticsearchVersion: cluster.elasticsearchVersion,
      credentials: KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId),
      taskCount: 1,
    });
  });
  const { StackResources = [] } = await sdk.cloudformation.send(
    new DescribeStackResourcesCommand({ StackName: stackName }),
  );
  physical = new Map(StackResources.map((each) => [each.LogicalResourceId!, each.PhysicalResourceId!]));
}, 300_000);

describe('search clusters and a web UI deployed to the embedded cloud', () => {
  it('each search cluster gets a certificate authority of its own from the packaged function', async () => {
    const certificates = [
      await read(idOf('LogsSecretsCaCertificate')),
      await read(idOf('MetricsSecretsCaCertificate')),
    ];

    for (const certificate of certificates) expect(certificate).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    expect(certificates[0]).not.toBe(certificates[1]);
    expect(await read(idOf('LogsSecretsCaKey'))).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  it('the watch of a cluster suspends rebalancing between zones in both groups within minutes', async () => {
    await deployed.pass(10 * minuteMs);

    const { AutoScalingGroups = [] } = await sdk.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
    const suspended = AutoScalingGroups.map(({ SuspendedProcesses }) =>
      SuspendedProcesses?.map((each) => each.ProcessName),
    );
    expect(suspended).toEqual([['AZRebalance'], ['AZRebalance'], ['AZRebalance'], ['AZRebalance']]);
  }, 120_000);

  it.each([
    ['LogsMastersRole', 'Metrics'],
    ['LogsDataNodesRole', 'Metrics'],
    ['MetricsMastersRole', 'Logs'],
  ])('a node with %s can read the secrets of its own cluster, and none of %s', async (role, other) => {
    const roleArn = `arn:aws:iam::${world.aws.accountId}:role/${idOf(role)}`;
    const credentials = world.operate.assumeRole(roleArn, 'ec2.amazonaws.com', 'i-0123456789abcdef0');
    const node = { credentials };
    const own = role.startsWith('Logs') ? 'Logs' : 'Metrics';

    for (const secret of ['Elastic', 'KibanaSystem', 'CaCertificate', 'CaKey']) {
      expect(await read(idOf(`${own}Secrets${secret}`), node)).toBeTruthy();
      await expect(read(idOf(`${other}Secrets${secret}`), node)).rejects.toThrow(/not authorized/);
    }
  });

  it('the task of the web UI is replaced within minutes after its password changes, and only then', async () => {
    const secret = idOf('LogsSecretsKibanaSystem');
    const deployments = async () => {
      const [cluster, services] = [idOf('UiKibanaCluster'), [idOf('UiKibanaService')]];
      const answer = await world.aws.call('ecs', 'DescribeServices', { cluster, services }, root);
      return (answer as { services: { deployments: { id: string }[] }[] }).services[0]!.deployments;
    };
    const [before] = await deployments();
    await deployed.pass(10 * minuteMs);
    expect((await deployments())[0]!.id).toBe(before!.id);
    expect(new Set(passwords)).toEqual(new Set([await read(secret)]));

    await world.aws.call('secretsmanager', 'PutSecretValue', { SecretId: secret, SecretString: 'changed' }, root);
    await deployed.pass(10 * minuteMs);

    expect((await deployments())[0]!.id).not.toBe(before!.id);
    expect(passwords.at(-1)).toBe('changed');
    const settled = passwords.length;
    await deployed.pass(10 * minuteMs);
    expect(passwords).toHaveLength(settled);
  }, 120_000);
});
