import { serveAws } from '@drover/cloud-aws';
import { serveNode } from '@drover/cloud-elasticsearch';
import { clusterDimension, metricNamespace, metrics } from '@drover/core/names/search-cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, runBundle } from './support/bundle.ts';
import { type Loopback, loopback } from './support/loopback.ts';
import { hour, minute, SearchWorld, secretIds } from './support/search-world.ts';

const cron = [
  'cluster',
  'decommission-node',
  '--only-if-terminating',
  '--reason',
  'instance_refresh',
  '--complete-lifecycle-action',
  '--wait-until-complete',
  '172800',
];

/** The built command as processes of their own, against the embedded cloud over HTTP, while time goes on there. */
describe('the built command on the embedded cloud', () => {
  const speed = 20;
  let world: SearchWorld;
  let doomed: string;
  let stopTime = () => {};
  const served: { close(): Promise<void> }[] = [];
  let connect: (instanceId: string) => Promise<Record<string, string>>;

  beforeAll(async () => {
    await bundle();
    world = await SearchWorld.start({ cron: false });
    [doomed] = world.inService('search-data') as [string];
    await world.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
    await world.clock.advance(minute);
    const aws = await serveAws(world.world);
    served.push(aws);
    connect = async (instanceId) => {
      const node = await serveNode(world.nodeOf(instanceId));
      const metadata = await world.world.machines.serveMetadata(instanceId);
      served.push(node, metadata);
      const { accessKeyId, secretAccessKey, sessionToken } = world.world.machines.credentialsOf(instanceId)!;
      return {
        AWS_ENDPOINT_URL: aws.url,
        AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_SESSION_TOKEN: sessionToken ?? '',
        CLUSTER_CLI_ES_HOST: '127.0.0.1',
        CLUSTER_CLI_ES_PORT: String(node.port),
      };
    };
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      void world.clock.advance(20 * speed).finally(() => {
        busy = false;
      });
    }, 20);
    stopTime = () => clearInterval(timer);
  });

  afterAll(async () => {
    stopTime();
    for (const server of served) await server.close();
  });

  it('the built command prints the health without a password, and the table of shards with one', async () => {
    const env = await connect(doomed);

    const health = await runBundle(['cluster-health'], { env });
    const shards = await runBundle(['--password-secret', secretIds.elastic, 'cat', 'shards'], { env });

    expect([health.code, health.stderr, shards.code]).toEqual([0, '', 0]);
    expect(health.stdout.toString()).toContain('status                           green');
    expect(shards.stdout.toString().split('\n').length).toBeGreaterThan(4);
  });

  it('logs in with the password of a secret, and names the AWS error when there is no such secret', async () => {
    const env = await connect(doomed);

    const ended = await runBundle(['--password-secret', secretIds.elastic, 'cluster-health'], { env });
    const wrong = await runBundle(['--password-secret', 'no-such-secret', 'cluster-health'], { env });

    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect([wrong.code, wrong.stderr.split('\n').length]).toEqual([1, 2]);
    expect(wrong.stderr).toContain('secretsmanager:GetSecretValue: AWS says ResourceNotFoundException');
  });

  it('changes a password and takes other commands', async () => {
    const env = await connect(doomed);

    const passwd = await runBundle(
      [
        '--password-secret',
        secretIds.elastic,
        'passwd',
        '--username',
        'kibana_system',
        '--new-password-secret',
        secretIds.kibana,
      ],
      { env },
    );
    const reap = await runBundle(['--password-secret', secretIds.elastic, '--format', 'yaml', 'cluster', 'reap'], {
      env,
    });

    expect([passwd.code, passwd.stdout.toString()]).toEqual([0, '']);
    expect([reap.code, reap.stdout.toString()]).toEqual([0, '---\n[]\n']);
  });

  it('publishes what the alarms watch by reap, from the elected master alone', async () => {
    const published = async () => {
      const now = world.clock.now();
      const { Datapoints } = (await world.aws('monitoring', 'GetMetricStatistics', {
        Namespace: metricNamespace,
        MetricName: metrics.notGreen,
        Dimensions: [{ Name: clusterDimension, Value: 'search' }],
        StartTime: new Date(now - hour),
        EndTime: new Date(now + minute),
        Period: 3_600,
        Statistics: ['SampleCount', 'Maximum'],
      })) as { Datapoints: readonly { SampleCount: number; Maximum: number }[] };
      return Datapoints.map(({ SampleCount, Maximum }) => [SampleCount, Maximum]);
    };
    const elected = world.electedMaster();
    const another = world.inService('search').find((id) => id !== elected)!;
    const reap = async (instanceId: string) =>
      await runBundle(['--password-secret', secretIds.elastic, 'cluster', 'reap'], { env: await connect(instanceId) });

    expect(await reap(another)).toMatchObject({ code: 0, stderr: '' });
    expect(await published()).toEqual([]);
    expect(await reap(elected)).toMatchObject({ code: 0, stderr: '' });
    expect(await published()).toEqual([[1, 0]]);
  });

  it('drains the node of an instance that terminates and completes its hook', async () => {
    const env = await connect(doomed);
    stopTime();
    await world.terminate(doomed);
    const timer = setInterval(() => void world.clock.advance(20 * speed), 20);
    stopTime = () => clearInterval(timer);

    const ended = await runBundle(['--password-secret', secretIds.elastic, ...cron], { env });

    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('completed with CONTINUE');
    expect(ended.stderr).not.toMatch(/Warning|at .*\.cjs/);
  });
});

describe('the scheduled run on a node in service', () => {
  let metadata: Loopback;
  let elsewhere: Loopback;

  beforeAll(async () => {
    metadata = await loopback((request, response) => response.end(request.method === 'PUT' ? 'token' : 'InService'));
    elsewhere = await loopback((_request, response) => response.end('{}'));
  });
  afterAll(() => Promise.all([metadata.close(), elsewhere.close()]));

  it('asks its own metadata twice, and neither Elasticsearch nor AWS', async () => {
    const ended = await runBundle(['--quiet', ...cron], {
      env: {
        AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${metadata.port}`,
        AWS_ENDPOINT_URL: `http://127.0.0.1:${elsewhere.port}`,
        CLUSTER_CLI_ES_HOST: '127.0.0.1',
        CLUSTER_CLI_ES_PORT: String(elsewhere.port),
      },
    });

    expect([ended.code, ended.stderr, ended.stdout.toString()]).toEqual([0, '', '']);
    expect(metadata.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/autoscaling/target-lifecycle-state',
    ]);
    expect(elsewhere.requests).toEqual([]);
  });

  it('fails loudly where there is no metadata: it cannot know whether the instance terminates', async () => {
    const ended = await runBundle(['--quiet', ...cron], {
      env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' },
    });

    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('cannot reach the instance metadata service');
  });
});

describe("the host's lock", () => {
  it('the host lock is held by one process, and free again when that process was killed', async () => {
    const silent = await loopback(() => {});
    const argv = [
      '--es-host',
      '127.0.0.1',
      '--es-port',
      String(silent.port),
      '--password',
      'p',
      '--request-timeout',
      '60',
      'cluster',
      'decommission-node',
      '--reason',
      'x',
    ];
    const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' };
    const kill = new AbortController();

    const first = runBundle(argv, { env, kill: kill.signal });
    while (silent.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const second = await runBundle(argv, { env });
    kill.abort();
    await first;
    const third = runBundle([...argv.slice(0, 6), '--request-timeout', '1', ...argv.slice(8)], { env });

    expect([second.code, second.stderr]).toEqual([0, 'another run on this host drains this node already\n']);
    expect((await third).code).toBe(1);
    await silent.close();
  });
});
