import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchNode } from '@drover/cloud-elasticsearch';
import { deployCloudAssembly } from '@drover/cloud-world';
import { Network, SearchCluster, Zone } from '@drover/constructs';
import { searchNodeFacts, upgradeObject } from '@drover/core/names/search-cluster';
import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DeployedCluster } from '../deployed-cluster.ts';
import { elasticsearchService } from './elasticsearch-service.ts';
import type { PlannedNode } from './machine-host.ts';

const minute = 60_000;
const hour = 60 * minute;
const settingsFile = '/etc/elasticsearch/elasticsearch.yml';
const outdir = mkdtempSync(join(tmpdir(), 'search-machine-'));
afterAll(() => rmSync(outdir, { recursive: true }));

/** A cluster with its own network, the way `cdk synth` writes it. */
function synthesise(): string {
  const app = new App({ outdir });
  const stack = new Stack(app, 'search');
  const vpc = new Vpc(stack, 'Network', { maxAzs: 3, natGateways: 1, restrictDefaultSecurityGroup: false });
  const zone = new PublicHostedZone(stack, 'Zone', { zoneName: 'search.example.com' });
  new SearchCluster(stack, 'SearchCluster', {
    clusterName: 'logs',
    environment: 'test',
    masterCount: 3,
    dataCount: 2,
    network: Network.fromVpc(vpc),
    zone: Zone.fromHostedZone(zone),
    postRuncmd: ['echo configured'],
    forcedAwareness: true,
  });
  return app.synth().directory;
}

/** The stories build on each other: one cluster, from its first boot on. */
describe('search machines of a deployed template', () => {
  const deployed = new DeployedCluster({ clusterName: 'logs', machines: 'configured' });
  const { world, clock } = deployed;
  const machine = (id: string) => world.machines.get(id)!;
  const settingsOf = (id: string) => parse(machine(id).files.get(settingsFile)!) as Record<string, unknown>;
  const inService = async (count: number, withinMs = 6 * hour) => {
    if (!(await clock.runUntil(() => deployed.inService().length === count, withinMs)))
      throw new Error(deployed.report());
  };
  let masters: readonly string[];
  beforeAll(async () => {
    await DeployedCluster.preload();
    await deployed.until(deployCloudAssembly(world, synthesise()), 12 * hour);
    await inService(5);
    masters = deployed.inService('logs');
  }, 300_000);

  it('form one green cluster, with the names, roles and zones of their settings', async () => {
    expect(await deployed.search('GET', '/_cluster/health')).toMatchObject({
      cluster_name: 'logs',
      status: 'green',
      number_of_nodes: 5,
      number_of_data_nodes: 2,
    });
    for (const [id, node] of deployed.nodes) {
      const { availabilityZone, privateIp } = world.observe.instance(id)!;
      expect([node.name, node.ip, node.options.zone]).toEqual([machine(id).hostName, privateIp, availabilityZone]);
      expect(node.roles.includes('master')).toBe(masters.includes(id));
      expect(node.heapBytes).toBeLessThanOrEqual(0.5 * 8 * 1024 ** 3);
    }
  });

  it('have the zones of forced awareness in the files of the masters alone, where Elasticsearch takes them from', () => {
    const key = 'cluster.routing.allocation.awareness.force.zone.values';
    const zones = ['eu-west-1a', 'eu-west-1b'];
    for (const id of deployed.inService())
      expect(settingsOf(id)[key], id).toEqual(masters.includes(id) ? zones : undefined);
    for (const id of masters) expect(deployed.nodeOf(id).settings[key], id).toEqual(zones);
  });

  it('settle the cluster within a minute of their commission, without their timer', async () => {
    for (const id of masters) void machine(id).stopService('drover-settle.timer');
    const [id] = masters;
    await machine(id!).stopService('drover-commission');
    const before = deployed.runs.length;

    machine(id!).startService('drover-commission');
    await clock.advance(minute);
    for (const id of masters) machine(id).startService('drover-settle.timer');

    const runs = deployed.runs
      .slice(before)
      .filter(({ argv }) => argv.includes('commission-node') || argv.includes('settle'));
    expect(runs.map(({ instanceId, argv, exitCode }) => [instanceId, argv.at(-1), exitCode])).toEqual([
      [id, 'launching', 0],
      [id, 'settle', 0],
    ]);
  });

  it('respond without a password to monitoring only', async () => {
    const [id] = masters;
    const ask = (path: string) =>
      deployed.nodes.get(id!)!.handle({
        method: 'GET',
        host: 'x',
        path,
        query: '',
        headers: {},
        body: new Uint8Array(),
      });

    expect((await ask('/_cluster/health')).status).toBe(200);
    expect((await ask('/_security/user')).status).toBe(401);
  });

  it('run cron, as specified', async () => {
    const before = deployed.runs.length;
    await clock.advance(6 * minute);
    const lines = deployed.runs.slice(before).map(({ argv }) => argv.join(' '));

    expect(lines.filter((line) => line.includes('--only-if-terminating')).length).toBeGreaterThanOrEqual(5);
    expect(lines.filter((line) => line === 'cluster-cli --quiet cluster reap').length).toBeGreaterThanOrEqual(3);
  });

  it('settle the cluster after they were commissioned: repository, four policies, the password of the web UI', async () => {
    await clock.advance(20 * minute);

    expect(Object.keys(await deployed.search('GET', '/_slm/policy')).sort()).toEqual([
      'daily-snapshots',
      'hourly-snapshots',
      'monthly-snapshots',
      'weekly-snapshots',
    ]);
    expect(await deployed.search('GET', '/_snapshot/backups')).toMatchObject({ backups: { type: 's3' } });
    expect(deployed.runs.filter(({ argv, exitCode }) => argv.includes('settle') && exitCode !== 0)).toEqual([]);
  });

  it('take their snapshots into the bucket with their own role', async () => {
    await clock.advance(65 * minute);

    const { snapshots } = await deployed.search<{ snapshots: { state: string }[] }>('GET', '/_snapshot/backups/_all');
    expect(snapshots.map(({ state }) => state)).toContain('SUCCESS');
  });

  it('have no list of initial masters any more half an hour later, and go on running', async () => {
    for (const id of masters) {
      expect(settingsOf(id)['cluster.initial_master_nodes']).toBeUndefined();
      expect(deployed.nodes.get(id)!.options.initialMasterNodes).toHaveLength(3);
    }
    expect(await deployed.health()).toBe('green');
  });

  it('come back with the same node and its data after a stop', async () => {
    const [data] = deployed.inService('logs-data');
    const node = deployed.nodes.get(data!)!;
    await deployed.search('PUT', '/kept', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    await deployed.search('PUT', '/kept/_doc/1?refresh=true', { kept: true });

    const unit = () => machine(data!).serviceState('elasticsearch');
    void machine(data!).stopService('elasticsearch');
    expect(unit()).toBe('deactivating');
    await clock.advance(minute);
    expect([node.running, unit()]).toEqual([false, 'inactive']);
    machine(data!).startService('elasticsearch');
    expect(unit()).toBe('activating');
    await clock.advance(5 * minute);
    expect(unit()).toBe('active');

    expect([deployed.nodes.get(data!), node.running, node.attached]).toEqual([node, true, true]);
    expect(await deployed.search('GET', '/kept/_doc/1')).toMatchObject({ found: true });
  });

  it('start Elasticsearch again within half an hour when it was stopped, but not with the mark of an operator', async () => {
    const [data] = deployed.inService('logs-data');
    const node = deployed.nodes.get(data!)!;
    const mark = '/var/lib/drover/stopped';
    void machine(data!).stopService('elasticsearch');
    await clock.advance(40 * minute);
    expect(node.running).toBe(true);

    machine(data!).files.set(mark, '');
    void machine(data!).stopService('elasticsearch');
    await clock.advance(40 * minute);
    expect(node.running).toBe(false);

    machine(data!).files.delete(mark);
    await clock.advance(40 * minute);
    expect([node.running, await deployed.health()]).toEqual([true, 'green']);
  });

  /** Another process of the service on a machine, and for each node that it starts whether that has found its peers. */
  const startBeside = (host: NonNullable<ReturnType<typeof machine>>) => {
    const planned: boolean[] = [];
    const command = async () => 0;
    const startNode = (_context: unknown, plan: PlannedNode) => {
      planned.push(plan.discovers);
      return { stop() {}, crash() {} } as unknown as SearchNode;
    };
    const { nodes } = deployed;
    const service = elasticsearchService({ world, nodes, command, nextCommand: command, startNode, resized: () => {} });
    return { started: host.spawn('elasticsearch', service), planned };
  };

  // AWS SDK v2 takes the setting for a URI: without a scheme, each round of discovery fails and returns no seed hosts.
  it.each([
    ['finds its peers with no discovery.ec2.endpoint', '', true],
    ['finds its peers with an endpoint that is a URL', 'https://ec2.eu-west-1.amazonaws.com', true],
    ['finds no peer with an endpoint without a scheme', 'ec2.eu-west-1.amazonaws.com', false],
  ] as const)('start an Elasticsearch that %s', async (_what, endpoint, discovers) => {
    const host = machine(masters[0]!);
    const settings = host.files.get(settingsFile)!;
    if (endpoint !== '') host.files.set(settingsFile, `${settings}discovery.ec2.endpoint: ${endpoint}\n`);
    const { started, planned } = startBeside(host);
    await clock.advance(minute);
    started.signal('SIGTERM');
    host.files.set(settingsFile, settings);

    expect(settingsOf(masters[0]!)).not.toHaveProperty(['discovery.ec2.endpoint']);
    expect(planned).toEqual([discovers]);
  });

  it.each([
    ['EC2 throttles the first request', { kind: 'throttle' }],
    ['EC2 does not respond to the first request', { kind: 'timeout' }],
  ] as const)('ask for their peers again when %s', async (_what, effect) => {
    const host = machine(masters[0]!);
    const heal = world.engine.faults.add({ service: 'ec2', operation: 'DescribeInstances', effect });
    const { started, planned } = startBeside(host);
    await clock.advance(minute);
    const meanwhile = [...planned];
    heal();
    await clock.advance(minute);
    started.signal('SIGTERM');

    expect([meanwhile, planned]).toEqual([[], [true]]);
  });

  it('start Elasticsearch again when it died asking for its peers', async () => {
    const [data] = deployed.inService('logs-data');
    const node = deployed.nodes.get(data!)!;
    await deployed.until(machine(data!).stopService('elasticsearch'), 10 * minute);
    const effect = { kind: 'kill', phase: 'after' } as const;
    const rule = { service: 'ec2', operation: 'DescribeInstances', subject: data!, times: 1, effect } as const;
    const mend = world.engine.faults.add(rule);
    void machine(data!).startService('elasticsearch');
    // Earlier than the next run of the configuration.
    await clock.advance(3 * minute);
    mend();

    expect(node.running).toBe(true);
    await clock.advance(10 * minute);
    expect(await deployed.health()).toBe('green');
  });

  it('let a replaced master join and never form a cluster of its own', async () => {
    const uuid = (await deployed.search<{ cluster_uuid: string }>('GET', '/')).cluster_uuid;
    await deployed.terminate(masters[0]!);
    if (!(await clock.runUntil(() => deployed.stateOf(masters[0]!) === undefined, 6 * hour)))
      throw new Error(deployed.report());
    await inService(5);

    const [fresh] = deployed.inService('logs').filter((id) => !masters.includes(id));
    expect(settingsOf(fresh!)['cluster.initial_master_nodes']).toBeUndefined();
    expect(deployed.nodes.get(fresh!)!.core).toBe(deployed.nodes.get(masters[1]!)!.core);
    expect((await deployed.search<{ cluster_uuid: string }>('GET', '/')).cluster_uuid).toBe(uuid);
    expect(await deployed.health()).toBe('green');
  });

  it('give the launch up when their configuration fails, and leave nothing behind', async () => {
    const { ca_key_secret: SecretId } = machineFacts(machine(masters[1]!)).elasticsearch as { ca_key_secret: string };
    await deployed.aws('secretsmanager', 'DeleteSecret', { SecretId, RecoveryWindowInDays: 7 });
    const size = { AutoScalingGroupName: 'logs-data', MaxSize: 3, DesiredCapacity: 3 };
    await deployed.aws('autoscaling', 'UpdateAutoScalingGroup', size);
    await clock.advance(40 * minute);

    expect(deployed.inService('logs-data')).toHaveLength(2);
    expect(deployed.members().filter(({ state }) => state === 'Terminating:Retained')).toEqual([]);
    await deployed.aws('secretsmanager', 'RestoreSecret', { SecretId });
    await inService(6);
    expect(await deployed.health()).toBe('green');
  });

  it('come into service when their configuration failed once', async () => {
    const before = deployed.inService('logs-data');
    const size = before.length + 1;
    const { ca_key_secret: SecretId } = machineFacts(machine(masters[1]!)).elasticsearch as { ca_key_secret: string };
    await deployed.aws('secretsmanager', 'DeleteSecret', { SecretId, RecoveryWindowInDays: 7 });
    const sizes = { AutoScalingGroupName: 'logs-data', MaxSize: size, DesiredCapacity: size };
    await deployed.aws('autoscaling', 'UpdateAutoScalingGroup', sizes);
    await clock.advance(minute);
    const launched = deployed.members().find(({ group, id }) => group === 'logs-data' && !before.includes(id))!.id;
    const said = () => machine(launched)?.files.get('/var/log/puppet.log') ?? '';
    await clock.runUntil(() => said().includes('trying once more'), 20 * minute);
    await deployed.aws('secretsmanager', 'RestoreSecret', { SecretId });
    await inService(3 + size);

    expect(said().match(/configure \(err\)/g)).toHaveLength(1);
    expect(deployed.inService('logs-data')).toContain(launched);
  });

  it.each([
    ['its first question to AWS fails', 'DescribeAutoScalingInstances', { kind: 'error', status: 500 }, [1, 0]],
    ['it dies of its first question', 'DescribeAutoScalingInstances', { kind: 'kill', phase: 'before' }, [0]],
    ['it cannot complete the launch', 'CompleteLifecycleAction', { kind: 'error', status: 500 }, [1, 0]],
    ['it dies completing the launch', 'CompleteLifecycleAction', { kind: 'kill', phase: 'before' }, [0]],
    ['it dies having completed the launch', 'CompleteLifecycleAction', { kind: 'kill', phase: 'after' }, [0]],
  ] as const)('run the commission of a launch again when %s', async (_what, operation, effect, exitCodes) => {
    const before = deployed.inService('logs-data');
    const size = before.length + 1;
    const sizes = { AutoScalingGroupName: 'logs-data', MaxSize: size, DesiredCapacity: size };
    const mend = world.engine.faults.add({ service: 'autoscaling', operation, times: 1, effect });
    await deployed.aws('autoscaling', 'UpdateAutoScalingGroup', sizes);
    await clock.advance(minute);
    const launched = deployed.members().find(({ group, id }) => group === 'logs-data' && !before.includes(id))!.id;
    // Half an hour after the boot the configuration run would start it again, too.
    await inService(3 + size, 20 * minute);
    mend();
    await clock.advance(2 * minute);

    expect(deployed.stateOf(launched)).toBe('InService');
    expect(machine(launched).files.has('/var/lib/drover/commissioned')).toBe(true);
    const runs = deployed.runs.filter(({ argv, instanceId }) => {
      return instanceId === launched && argv.includes('commission-node');
    });
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(exitCodes);
  });

  it('give the launch up when the cluster ends an upgrade before they join, and the next one runs its version', async () => {
    const before = deployed.inService();
    const { version } = deployed.nodeOf(masters[1]!);
    const newer = version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
    world.operate.putObject(
      deployed.facts.state_bucket,
      upgradeObject(newer),
      Buffer.from(JSON.stringify({ to: newer })),
    );
    const size = deployed.inService('logs-data').length + 1;
    const sizes = { AutoScalingGroupName: 'logs-data', MaxSize: size, DesiredCapacity: size };
    await deployed.aws('autoscaling', 'UpdateAutoScalingGroup', sizes);
    const launched = () => deployed.members().find(({ id }) => !before.includes(id))?.id ?? '';
    await clock.runUntil(() => machine(launched())?.files.has(searchNodeFacts.file) === true, 20 * minute);
    const late = launched();
    for (const node of deployed.nodes.values()) {
      node.stop();
      node.install(newer);
      node.start();
    }
    await clock.runUntil(() => deployed.stateOf(late) === undefined, 90 * minute);
    await inService(before.length + 1);

    expect(deployed.inService()).not.toContain(late);
    expect([...deployed.nodes.values()].map((node) => node.version)).toEqual(Array(before.length + 1).fill(newer));
  });
});

const machineFacts = ({ files }: { readonly files: ReadonlyMap<string, string> }) =>
  JSON.parse(files.get('/etc/puppetlabs/facter/facts.d/custom.json')!) as Record<string, unknown>;
