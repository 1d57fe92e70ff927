import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { CreateSecretCommand, GetSecretValueCommand, ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { noBody } from '@drover/cloud-engine';
import { clients } from '@drover/cloud-world';
import { clusterUuidTag, ports, restartTag, stateObjects, trafficTag } from '@drover/core/names/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { targetsOf } from '../doctor/targets-of.ts';

/** One deployed cluster with its web UI and a runner fleet beside it; the stories only look. */
let stage: ClusterStage;
beforeAll(async () => {
  stage = await ClusterStage.open({ masterCount: 3, dataCount: 2, ui: true, fleet: true });
}, 300_000);

const instanceOf = (id: string) => stage.world.observe.instance(id)!;
const nodeNames = (group: string) => stage.deployed.inService(group).map((id) => stage.deployed.nodeOf(id).name);

describe('a deployed search cluster', () => {
  it('finds its nodes by their tags and is green', async () => {
    const health = await (await stage.get('logs', '/_cluster/health')).json();

    expect(health).toMatchObject({
      cluster_name: 'logs',
      status: 'green',
      number_of_nodes: 5,
      number_of_data_nodes: 2,
    });
    const { cluster_uuid } = (await (await stage.get('logs', '/')).json()) as { cluster_uuid: string };
    for (const id of stage.deployed.inService())
      expect(instanceOf(id).tags).toMatchObject({
        cluster: 'logs',
        environment: 'simulation',
        [clusterUuidTag]: cluster_uuid,
      });
  });

  it.each([
    ['logs', 'master'],
    ['logs-master', 'master'],
    ['logs-data', 'data'],
  ] as const)('responds at https://%s.<zone> by each of its %s nodes, through a load balancer', async (host, kind) => {
    const names = new Set<string>();
    for (let turn = 0; turn < 6; turn++) {
      const answer = await stage.get(host, '/');
      expect(answer.status).toBe(200);
      names.add(((await answer.json()) as { name: string }).name);
    }

    expect([...names].sort()).toEqual([...nodeNames(stage.groups[kind])].sort());
  });

  it('shows the web UI at https://kibana.<zone>, logged in as kibana_system', async () => {
    const answer = await stage.get('kibana', '/api/status', 'nobody');

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ status: { overall: { level: 'available' } } });
  });

  it.each(['/', '/_cluster/health', '/_cat/health', '/_cluster/stats', '/_nodes', '/_nodes/stats', '/_stats'])(
    'lets callers without credentials read %s',
    async (path) => {
      expect((await stage.get('logs', path, 'nobody')).status).toBe(200);
    },
  );

  it.each([
    ...['/_search', '/_all/_doc/1', '/_all/_mapping', '/_security/user', '/_snapshot', '/_slm/policy'],
    ...['/_cat/nodes', '/_cat/indices', '/_cluster/settings', '/_cluster/state', '/_tasks', '/_nodes/hot_threads'],
  ])('returns 401 to %s without credentials', async (path) => {
    expect((await stage.get('logs', path, 'nobody')).status).toBe(401);
  });

  it('serves https only, with a certificate of a public authority', async () => {
    const plain = { method: 'GET', protocol: 'http' as const, host: 'logs.search.example.com', path: '/', query: '' };
    const send = stage.world.network.from({ kind: 'operator', name: 'operator' });
    const answer = await stage
      .drive(send({ ...plain, headers: {}, body: noBody }))
      .then(({ status }) => status)
      .catch((error: { code: string }) => error.code);

    expect(['ECONNREFUSED', 301]).toContain(answer);
  });
});

describe('the network of a deployed search cluster', () => {
  /** Whether a connection from an interface gets through: a response or a refusal, and not silence. */
  const reaches = async (target: string, port: number, from: { address: string; securityGroupIds: string[] }) => {
    const send = stage.world.network.from({ kind: 'machine', name: 'elsewhere', ...from });
    const request = { method: 'GET', protocol: 'http' as const, host: `${target}:${port}`, path: '/', query: '' };
    let heard = false;
    const hear = () => {
      heard = true;
    };
    void send({ ...request, headers: {}, body: noBody }).then(hear, hear);
    await stage.pass(1);
    return heard;
  };
  const node = () => instanceOf(stage.deployed.inService('logs-data')[0]!);
  const other = () => instanceOf(stage.deployed.inService('logs')[0]!);

  it('lets a machine of the same network outside of its rules reach neither 9200 nor 9300', async () => {
    const stranger = { address: '10.0.0.77', securityGroupIds: ['sg-0000000000000000f'] };

    for (const port of [ports.http, ports.transport, 22, 443])
      expect([port, await reaches(node().privateIp, port, stranger)]).toEqual([port, false]);
  });

  it('lets the monitoring network scrape 9100 and 9114, and no host outside of it', async () => {
    const inside = { address: '10.0.0.77', securityGroupIds: ['sg-0000000000000000f'] };
    const outside = { address: '192.0.2.77', securityGroupIds: ['sg-0000000000000000f'] };

    for (const port of [ports.nodeExporter, ports.searchExporter]) {
      expect([port, await reaches(node().privateIp, port, inside)]).toEqual([port, true]);
      expect([port, await reaches(node().privateIp, port, outside)]).toEqual([port, false]);
    }
  });

  it('lets nodes talk to each other on 9300, and not on 9200', async () => {
    const { privateIp: address, securityGroupIds } = other();
    const peer = { address, securityGroupIds: [...securityGroupIds] };

    expect(await reaches(node().privateIp, ports.transport, peer)).toBe(true);
    expect(await reaches(node().privateIp, ports.http, peer)).toBe(false);
  });
});

describe('the rights around the targets of a deployed search cluster', () => {
  const asNode = (id: string, service: 'ec2' | 'elasticloadbalancing', operation: string, input: object) => {
    const credentials = stage.world.machines.credentialsOf(id)!;
    return stage.drive(stage.world.aws.call(service, operation, input, { credentials }).then(() => 'done', String));
  };

  it('a node may ask to get no requests for itself alone, and may change no target', async () => {
    const [one, other] = stage.deployed.inService('logs-data') as [string, string];
    const mark = (Resources: string[], Key: string) =>
      asNode(one, 'ec2', 'CreateTags', { Resources, Tags: [{ Key, Value: 'over' }] });
    const { arn: TargetGroupArn } = await targetsOf(stage.deployed, 'logs-data');

    expect(await mark([one], restartTag)).toBe('done');
    expect(await mark([other], restartTag)).toContain('not authorized');
    expect(await mark([one], trafficTag)).toContain('not authorized');
    for (const operation of ['DeregisterTargets', 'RegisterTargets'])
      expect(
        await asNode(one, 'elasticloadbalancing', operation, { TargetGroupArn, Targets: [{ Id: one }] }),
      ).toContain('not authorized');
  });

  it('the function that watches the cluster may change the targets of its two groups, and no other one', async () => {
    const { Roles = [] } = (await stage.deployed.aws('iam', 'ListRoles')) as {
      Roles: { RoleName: string; Arn: string }[];
    };
    const { Arn } = Roles.find(({ RoleName }) => /WatchPass/.test(RoleName))!;
    const credentials = stage.world.operate.assumeRole(Arn, 'lambda.amazonaws.com', 'test');
    const deregister = (TargetGroupArn: string) =>
      stage.drive(
        stage.world.aws
          .call(
            'elasticloadbalancing',
            'DeregisterTargets',
            { TargetGroupArn, Targets: [{ Id: 'i-0123456789abcdef0' }] },
            { credentials },
          )
          .then(() => 'done', String),
      );
    const { arn } = await targetsOf(stage.deployed, 'logs');

    expect(await deregister(arn)).toBe('done');
    expect(await deregister(`${arn}0`)).toContain('not authorized');
  });
});

describe('the rights around a deployed search cluster', () => {
  const secretsOfCluster = async () => {
    const { SecretList = [] } = await stage.drive(stage.aws.secretsmanager.send(new ListSecretsCommand({})));
    return SecretList.map(({ ARN }) => ARN!);
  };

  it('keep its secrets from an instance of the runner fleet', async () => {
    const { Roles = [] } = await stage.deployed.aws('iam', 'ListRoles');
    const { Arn } = (Roles as { RoleName: string; Arn: string; AssumeRolePolicyDocument: string }[]).find(
      ({ RoleName, AssumeRolePolicyDocument }) =>
        /RunnerFleet/.test(RoleName) && !/lambda/.test(decodeURIComponent(AssumeRolePolicyDocument)),
    )!;
    const credentials = stage.world.operate.assumeRole(Arn, 'ec2.amazonaws.com', 'i-0123456789abcdef0');
    const runner = clients(stage.world, credentials);

    const secrets = await secretsOfCluster();
    expect(secrets.length).toBeGreaterThanOrEqual(4);
    for (const SecretId of secrets)
      await expect(stage.drive(runner.secretsmanager.send(new GetSecretValueCommand({ SecretId })))).rejects.toThrow(
        /not authorized/,
      );
  });

  it('keep a node from the secrets of another cluster', async () => {
    const { SecretList = [] } = await stage.drive(stage.aws.secretsmanager.send(new ListSecretsCommand({})));
    // As CloudFormation would name those of a second stack: the same words, another end.
    const theirs = SecretList.map(({ Name }) =>
      Name!.replace(/[^-/]*$/, (end) => `${end.slice(0, -1)}${end.endsWith('Z') ? 'Y' : 'Z'}`),
    );
    for (const Name of theirs)
      await stage.drive(stage.aws.secretsmanager.send(new CreateSecretCommand({ Name, SecretString: 'not yours' })));
    expect(theirs.length).toBeGreaterThanOrEqual(4);

    for (const [id] of [stage.deployed.inService('logs'), stage.deployed.inService('logs-data')]) {
      const node = clients(stage.world, stage.world.machines.credentialsOf(id!)!);
      for (const SecretId of theirs)
        await expect(stage.drive(node.secretsmanager.send(new GetSecretValueCommand({ SecretId })))).rejects.toThrow(
          /not authorized/,
        );
    }
  });

  it('let a node read who formed the cluster, and neither delete nor replace anything else there', async () => {
    const [id] = stage.deployed.inService('logs');
    const node = clients(stage.world, stage.world.machines.credentialsOf(id!)!);
    const facts = JSON.parse(
      stage.world.machines.get(id!)!.files.get('/etc/puppetlabs/facter/facts.d/custom.json')!,
    ) as { elasticsearch: { state_bucket: string } };
    const Bucket = facts.elasticsearch.state_bucket;

    await stage.drive(node.s3.send(new GetObjectCommand({ Bucket, Key: stateObjects.initialMasters })));
    for (const Key of Object.values(stateObjects))
      await expect(stage.drive(node.s3.send(new DeleteObjectCommand({ Bucket, Key })))).rejects.toThrow(
        /not authorized|Access ?Denied/i,
      );
    const other = new PutObjectCommand({ Bucket, Key: 'other.json', Body: '{}' });
    await expect(stage.drive(node.s3.send(other))).rejects.toThrow(/not authorized|Access ?Denied/i);
  });
});
