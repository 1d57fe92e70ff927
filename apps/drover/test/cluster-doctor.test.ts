import { hooks } from '@drover/core/names/search-cluster';
import type { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { ClusterTruth } from '../../../packages/local/src/truth/cluster-truth.ts';
import { clusterChecks as checks, clusterFindings } from '../../../packages/operator/src/cluster/doctor/checks.ts';
import type { ClusterFacts } from '../../../packages/operator/src/cluster/doctor/facts.ts';
import type { Finding } from '../../../packages/operator/src/doctor/findings.ts';
import type { GroupFacts } from '../../../packages/operator/src/doctor/group-facts.ts';
import {
  clusterTroubles,
  openCluster,
  playClusterTrouble,
} from '../../../packages/simulation/src/doctor/play-trouble.ts';
import { droverOnCluster } from './operator.test-support.ts';

const gib = 1024 ** 3;
const manual = 'cluster-cli cluster decommission-node --reason retained';

const shared = clusterTroubles.filter(({ inputs }) => inputs === undefined);

/** One small cluster for all of them: each trouble is mended before the next. */
let stage: ClusterStage;
const data = () => stage.deployed.inService(stage.groups.data);
const search = (method: string, path: string, body?: unknown) => stage.deployed.search(method, path, body);
const settings = (index: string, values: object) => search('PUT', `/${index}/_settings`, { index: values });

async function doctor(): Promise<{ exitCode: number; findings: readonly Finding[] }> {
  const { exitCode, stdout } = await droverOnCluster(stage, 'cluster', 'doctor', '--format', 'json');
  return { exitCode, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
}

/** An index whose only copy may be on this node alone. */
async function pin(instanceId: string): Promise<void> {
  const name = stage.deployed.nodeOf(instanceId).name;
  const placed = { 'index.routing.allocation.require._name': name };
  await search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0, ...placed } });
  await stage.pass(1);
}

const unpin = () => settings('solo', { 'routing.allocation.require._name': null });

async function gone(instanceId: string): Promise<void> {
  await stage.until(`${instanceId} is gone`, () => stage.deployed.stateOf(instanceId) === undefined);
  await stage.until('two data nodes', () => data().length === 2);
  await stage.pass(5);
}

describe('drover cluster doctor', () => {
  beforeAll(async () => {
    stage = await openCluster(10);
  }, 300_000);

  it('drover cluster doctor can make every check ten minutes after the cluster has formed', async () => {
    const { findings } = await doctor();

    expect(findings.filter(({ verdict }) => verdict === 'unknown')).toEqual([]);
    await stage.pass(55);
  });

  it('finds nothing wrong with a healthy cluster, and says that the audit log needs a licence', async () => {
    const { exitCode, findings } = await doctor();

    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([
      expect.objectContaining({ check: 'audit-log-licence', verdict: 'notice' }),
    ]);
    expect(exitCode).toBe(0);
  });

  it.each(shared)(
    'drover cluster doctor finds $check, and its printed remedy makes it well: $fix',
    async (trouble) => {
      expect((await playClusterTrouble(trouble, stage)).violations).toEqual([]);
    },
    120_000,
  );

  it('drover cluster doctor prints a problem with its condition, and ends with 1', async () => {
    await settings('docs', { number_of_replicas: 3 });
    await stage.pass(1);
    const { exitCode, stdout } = await droverOnCluster(stage, 'cluster', 'doctor');
    await settings('docs', { number_of_replicas: 1 });
    await stage.pass(1);

    const { condition } = checks.find(({ check }) => check === 'cluster-not-green')!;
    expect(stdout).toContain(`PROBLEM  cluster-not-green: ${condition}\n`);
    expect(exitCode).toBe(1);
  });

  it('doctor reports that Elasticsearch does not respond, and the other checks as unknown', async () => {
    const { exitCode, stdout } = await droverOnCluster(
      stage,
      ...['cluster', 'doctor', '--url', 'https://nobody.example.com', '--format', 'json'],
    );
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };

    expect(exitCode).toBe(1);
    expect(findings.find(({ check }) => check === 'cluster-not-green')).toMatchObject({ verdict: 'problem' });
    expect(findings.find(({ check }) => check === 'disk-above-watermark')).toMatchObject({ verdict: 'unknown' });
    const { stdout: text } = await droverOnCluster(
      stage,
      ...['cluster', 'doctor', '--url', 'https://nobody.example.com'],
    );
    expect(text).toMatch(
      /^\S+, module version \S+: 1 thing needs attention, .*\d+ checks could not be made, \d+ checks are well\nas configured, it survives the loss of .*\n\nPROBLEM/,
    );
    // The reason that keeps the others from being made is reported once.
    expect(text.match(/Elasticsearch could not be read/g)).toHaveLength(1);
  });

  it('doctor notices a heap for which the JVM cannot compress pointers', async () => {
    const node = stage.deployed.nodeOf(data()[0]!);
    const before = node.options;
    Object.assign(node, { options: { ...before, memoryBytes: 128 * gib } });
    const { findings } = await doctor();
    Object.assign(node, { options: before });

    expect(findings.find(({ check }) => check === 'heap-too-large')).toMatchObject({
      verdict: 'notice',
      evidence: `pointers are not compressed: ${node.name} has 64 GiB`,
      fix: expect.stringContaining('heap_max_gib'),
    });
  });
});

describe('drover cluster release', () => {
  it('release refuses an instance that is not retained or belongs to no group', async () => {
    const inService = await droverOnCluster(stage, 'cluster', 'release', data()[0]!);
    const unknown = await droverOnCluster(stage, 'cluster', 'release', 'i-0123456789abcdef0');

    expect(inService).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is InService, not Terminating') });
    expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is in none of the groups') });
  });

  it('release ends a retained node only after it was decommissioned by hand; no document is lost', async () => {
    const { deployed, groups } = stage;
    const [kept] = data() as [string];
    await search('DELETE', '/solo');
    await pin(kept);
    await search('PUT', '/solo/_doc/1?refresh=true', { kept: true });
    await deployed.terminate(kept);
    await stage.pass(7);
    await deployed.aws('autoscaling', 'CompleteLifecycleAction', {
      AutoScalingGroupName: groups.data,
      LifecycleHookName: hooks.terminating.name,
      InstanceId: kept,
      LifecycleActionResult: 'ABANDON',
    });
    await stage.until('it is retained', () => deployed.stateOf(kept) === 'Terminating:Retained');
    await stage.until('it was replaced', () => data().length === 2);

    const found = (await doctor()).findings.find(({ check }) => check === 'retained-instance');
    expect(found).toMatchObject({
      verdict: 'problem',
      fix: expect.stringContaining(`drover cluster release ${kept}`),
    });
    expect(await droverOnCluster(stage, 'cluster', 'release', kept)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/still holds \d+ shards/),
    });
    await unpin();
    expect(await deployed.run(kept, manual)).toMatchObject({ exitCode: 0 });
    expect(await droverOnCluster(stage, 'cluster', 'release', kept)).toMatchObject({ exitCode: 0 });
    await gone(kept);

    expect(await search('GET', '/solo/_doc/1')).toMatchObject({ found: true });
    expect((await doctor()).exitCode).toBe(0);
  }, 120_000);
});

// The last one of this cluster: nothing brings it back.
it('drover cluster doctor says that the quorum is lost while masters without a vote live, and the dead one is in its group', async () => {
  const AutoScalingGroupName = stage.groups.master;
  await stage.deployed.aws('autoscaling', 'UpdateAutoScalingGroup', {
    AutoScalingGroupName,
    ...{ MaxSize: 3, DesiredCapacity: 3 },
  });
  const masters = () => stage.deployed.inService(AutoScalingGroupName);
  await stage.until('three masters', () => masters().length === 3);
  const [master, ...others] = masters() as [string, string, string];
  const names = others.map((id) => stage.deployed.nodeOf(id).name);
  await search('POST', `/_cluster/voting_config_exclusions?node_names=${names}`);
  stage.world.machines.crash(master);
  await stage.pass(10);
  expect(stage.deployed.stateOf(master)).toBe('InService');
  const { exitCode, findings } = await doctor();
  const truth = new ClusterTruth(stage.deployed, { dangers: () => [], troubled: () => false }, () => {});

  expect(exitCode).toBe(1);
  for (const found of [findings, truth.findings()!])
    expect(found.find(({ check }) => check === 'quorum-lost')).toMatchObject({
      verdict: 'problem',
      evidence: expect.stringMatching(/^0 of 1 masters that vote are alive/),
    });
});

it.each<[string, Partial<GroupFacts>, string, RegExp]>([
  ['one node in each of three zones', {}, 'ok', /logs has instances in 3 of 3 zones/],
  [
    'a zone without a node, in which launches fail',
    {
      members: [member('a'), member('b'), member('b')],
      failedLaunches: [{ groupName: 'logs', instanceId: undefined, at: 0, zone: 'eu-west-1c', reason: 'no capacity' }],
    },
    'problem',
    /logs has no instance in service in eu-west-1c, and launches fail there: no capacity/,
  ],
  [
    'a zone that is back, but whose nodes stayed elsewhere',
    { members: [member('a'), member('b'), member('b')] },
    'notice',
    /no instance in service in eu-west-1c/,
  ],
  ['fewer nodes than zones', { desired: 2, members: [member('a'), member('b')] }, 'ok', /2 of 3 zones/],
])('drover cluster doctor sees a lost zone: %s', (_, change, verdict, says) => {
  const whole = { members: ['a', 'b', 'c'].map(member), failedLaunches: [], launchSuspended: false, desired: 3 };
  const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'];
  const groups = [{ name: 'logs', zones, launchingSince: new Map(), ...whole, ...change }];
  const found = checks
    .find(({ check }) => check === 'zone-without-nodes')!
    .examine(onlyGroups({ groups, now: 60_000 }), []);

  expect(found.verdict).toBe(verdict);
  expect(found.evidence).toMatch(says);
});

it.each<[string, Partial<GroupFacts>, string, RegExp]>([
  ['all are there', {}, 'ok', /3 masters are wanted, and all are there/],
  ['two of three', { members: [member('a')] }, 'problem', /2 of 3 masters are missing in the group logs/],
  [
    'launches are suspended',
    { members: [member('a'), member('b')], launchSuspended: true },
    'problem',
    /1 of 3 masters is missing in the group logs, whose process Launch is suspended/,
  ],
  [
    'one boots',
    { members: [member('a'), member('b'), { ...member('c'), state: 'Pending:Wait' }] },
    'notice',
    /i-c of logs has been launching for 10 min/,
  ],
  [
    'one has been booting for too long',
    {
      members: [member('a'), member('b'), { ...member('c'), state: 'Pending:Wait' }],
      launchingSince: new Map([['i-c', -40 * 60_000]]),
    },
    'problem',
    /i-c of logs has been launching for 50 min/,
  ],
])(
  'drover cluster doctor sees missing nodes also when Elasticsearch does not respond: %s',
  (_, change, verdict, says) => {
    const whole = { members: ['a', 'b', 'c'].map(member), failedLaunches: [], launchSuspended: false, desired: 3 };
    const groups = [{ name: 'logs', zones: [], launchingSince: new Map([['i-c', 0]]), ...whole, ...change }];
    const failed = { kind: 'failed', message: '503' };
    const facts = { groups, now: 600_000, masterGroup: 'logs', topology: failed, records: failed, instances: [] };
    const found = checks.find(({ check }) => check === 'missing-nodes')!.examine(onlyGroups(facts), []);

    expect(found.verdict).toBe(verdict);
    expect(found.evidence).toMatch(says);
  },
);

/** Facts of the groups alone: a master is elected. */
function onlyGroups(facts: object): ClusterFacts {
  return { health: { kind: 'read', value: {} }, terminating: [], instances: [], ...facts } as unknown as ClusterFacts;
}

function member(zone: string) {
  return { id: `i-${zone}`, zone: `eu-west-1${zone}`, state: 'InService' };
}

it.each([
  [
    'a daily policy that fails for days while the hourly one succeeds',
    { lastSuccessAt: -3 * 24 * 3_600_000 },
    'problem',
    /^daily: the last successful one is 72 h/,
  ],
  ['a first failure', { lastSuccessAt: 0, lastFailure: 'denied' }, 'notice', /^daily: .*the newest failed: denied/],
  ['a policy whose clock is ahead', { lastSuccessAt: 66_000 }, 'ok', /the last successful one is 0 s old/],
  ['a policy that is new', { changedAt: -3_600_000, lastSuccessAt: undefined }, 'ok', /no policy is overdue/],
])('drover cluster doctor looks at each snapshot policy by its own interval: %s', (_, daily, verdict, says) => {
  const policy = { changedAt: undefined, lastSuccessAt: 0, lastFailure: undefined };
  const value = [
    { ...policy, id: 'hourly', overdueMs: 7_200_000 },
    { ...policy, id: 'daily', overdueMs: 172_800_000, ...daily },
  ];
  const facts = { policies: { kind: 'read', value }, now: 60_000 } as unknown as ClusterFacts;
  const found = checks.find(({ check }) => check === 'snapshot-too-old')!.examine(facts, []);

  expect(found).toMatchObject({ verdict, evidence: expect.stringMatching(says) });
});

it.each<[string, Readonly<Record<string, boolean>>, RegExp]>([
  ['dead ones', { a: true, b: true }, /: reap lets go of a dead node then, within minutes$/],
  ['living ones', { a: false }, /: the next scheduled run drains the node; then start the instance refresh again$/],
  [
    'both',
    { a: true, b: false },
    /: reap lets go of the dead ones then, .*; of the others the next scheduled run drains/,
  ],
])('drover cluster doctor says what a green cluster does with nodes that wait to leave: %s', (_, nodes, fix) => {
  const terminating = Object.keys(nodes).map((instanceId) => ({ instanceId, groupName: 'logs-data', since: 0 }));
  const members = Object.entries(nodes).map(([id, unhealthy]) => ({ id, unhealthy }));
  const health = { kind: 'read', value: { status: 'red' } };
  const facts = { health, terminating, groups: [{ members }], now: 60_000 } as unknown as ClusterFacts;
  const found = checks.find(({ check }) => check === 'decommission-refused')!.examine(facts, []);

  expect(found).toMatchObject({ verdict: 'problem', fix: expect.stringMatching(fix) });
});

describe('drover cluster doctor, without an elected master', () => {
  const failed = { kind: 'failed', message: '503' } as const;
  const nodes = ['a', 'b', 'c', 'd'].map((id) => ({ id, ip: `ip-${id}` }));
  const quorum = (given: ClusterFacts) => clusterFindings(given).find(({ check }) => check === 'quorum-lost');
  const wanted = { name: 'logs', desired: 3, zones: [], failedLaunches: [], launchSuspended: false };

  function facts(
    members: Readonly<Record<string, { lifecycleState: string; joined?: boolean; dead?: boolean }>>,
    committed?: readonly string[],
  ) {
    const instances = Object.entries(members).map(([instanceId, { lifecycleState, joined = true }]) => ({
      ...{ instanceId, groupName: 'logs', lifecycleState, privateIp: `ip-${instanceId}`, terminated: false },
      tags: joined ? { 'drover:cluster-uuid': 'uuid' } : {},
    }));
    const terminating = instances
      .filter(({ lifecycleState }) => lifecycleState === 'Terminating:Wait')
      .map((instance) => ({ ...instance, since: 0 }));
    const group = {
      ...wanted,
      launchingSince: new Map(),
      members: Object.entries(members).map(([id, { lifecycleState, dead = false }]) => ({
        ...{ id, zone: 'a', state: lifecycleState, unhealthy: dead },
      })),
    };
    const unread = [
      'topology',
      'shards',
      'records',
      'voting',
      'disks',
      'recovery',
      'policies',
      'licence',
      'heaps',
      'login',
    ];
    return {
      ...Object.fromEntries(['health', ...unread].map((name) => [name, failed])),
      ...{ now: 2_400_000, masterGroup: 'logs', clusterName: 'logs', url: 'https://logs', stack: 'logs' },
      ...{ instances, terminating, groups: [group], alarms: [], silent: { kind: 'read', value: [] } },
      drill: { note: { kind: 'read', value: undefined } },
      lastVotes: committed === undefined ? failed : { kind: 'read', value: { committed, nodes } },
      software: { kind: 'read', value: undefined },
      blocked: failed,
      authority: failed,
      rotation: failed,
      frames: { kind: 'read', value: [] },
      room: { kind: 'read', value: undefined },
      volumes: { kind: 'read', value: [] },
      targets: { kind: 'read', value: [] },
    } as unknown as ClusterFacts;
  }

  const [up, boots] = [{ lifecycleState: 'InService' }, { lifecycleState: 'Pending:Wait', joined: false }];
  const dies = { lifecycleState: 'Terminating:Wait', dead: true };
  const dead = { ...up, dead: true };

  it.each([
    ['two of three died and are still terminating', { a: up, b: dies, c: dies, d: boots, e: boots }, /1 of 3 masters/],
    ['two of three died and are gone', { a: up, d: boots, e: boots }, /1 of 3 masters/],
    [
      'two of three died and their group keeps them in service',
      { a: up, b: dead, c: dead, d: boots },
      /1 of 3 masters/,
    ],
  ])('drover cluster doctor finds a lost quorum at once, and advises nothing else: %s', (_, members, says) => {
    const found = clusterFindings(facts(members));
    expect(found.find(({ check }) => check === 'quorum-lost')).toMatchObject({
      verdict: 'problem',
      evidence: expect.stringMatching(says),
      fix: expect.stringContaining('A lost quorum'),
    });
    const others = found.filter(({ check, fix }) => check !== 'quorum-lost' && fix !== undefined);
    expect(others.map(({ check }) => check)).toEqual(['cluster-not-green', 'missing-nodes']);
    for (const { fix } of others) expect(fix).toMatch(/^first quorum-lost/);
  });

  it.each([
    ['one of three died', { a: up, b: up, c: dies, d: boots }],
    [
      'one of three is drained while the load balancer is away',
      { a: up, b: up, c: { lifecycleState: 'Terminating:Wait' } },
    ],
    ['two of three are drained at once', { a: up, b: { ...dies, dead: false }, c: { ...dies, dead: false } }],
    ['no master has joined yet', { a: boots, b: boots, c: boots }],
  ])('drover cluster doctor does not call the quorum lost, nor well, when it cannot know: %s', (_, members) => {
    expect(quorum(facts(members))).toMatchObject({ verdict: 'unknown' });
  });

  it.each([
    ['two of three are gone, masters without a vote live', { a: up, b: up, c: up }, ['a', 'gone', 'lost'], '1 of 3'],
    ['one is gone and one dies', { a: up, b: up, c: dies, d: boots }, ['a', 'c', 'gone'], '1 of 3'],
    ['the only one died', { a: dead, b: up, c: up }, ['a'], '0 of 1'],
  ])(
    'drover cluster doctor counts those that vote, by the last state of a node: %s',
    (_, members, committed, votes) => {
      expect(quorum(facts(members, committed))).toMatchObject({
        verdict: 'problem',
        evidence: expect.stringMatching(`^${votes} masters that vote are alive, so`),
      });
    },
  );

  it.each([
    ['the only one lives', { a: up, b: dead, c: dead }, ['a'], '1 of 1'],
    ['one that had left before may be back', { a: up, b: up, e: up }, ['a', 'gone', 'lost'], '2 of 3'],
  ])('drover cluster doctor does not call the quorum lost while enough that vote may live: %s', (...row) => {
    const [, members, committed, votes] = row;
    expect(quorum(facts(members, committed))).toMatchObject({
      verdict: 'unknown',
      evidence: expect.stringContaining(`${votes} masters that vote are alive, enough`),
    });
  });
});
