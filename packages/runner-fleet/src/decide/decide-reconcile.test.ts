import { describe, expect, it } from 'vitest';
import type { FleetInstance, Runner } from '../model/fleet.ts';
import { countRunners } from './count-runners.ts';
import { decideReconcile, mostActionsPerPass, type ReconcileFacts } from './decide-reconcile.ts';

const now = 10_000_000_000;
const minutes = (count: number) => count * 60_000;
const days = (count: number) => count * 86_400_000;

const instance = (id: string, change: Partial<FleetInstance> = {}): FleetInstance => ({
  id,
  lifecycleState: 'InService',
  healthy: true,
  protectedFromScaleIn: false,
  inWarmPool: false,
  ...change,
});
const runner = (name: string, change: Partial<Runner> = {}): Runner => ({
  id: Number(name.slice(2)),
  name,
  status: 'online',
  busy: false,
  labels: [`instance_id:${name}`, 'installation_id:fleet', 'self-hosted'],
  ...change,
});
const facts = (change: Partial<ReconcileFacts> & { instances?: FleetInstance[] }): ReconcileFacts => ({
  group: {
    name: 'fleet',
    minSize: 0,
    maxSize: 9,
    desiredCapacity: 1,
    instances: change.instances ?? [],
    hasWarmPool: false,
    launchTemplateVersion: '2',
  },
  runners: [],
  secrets: [],
  reports: new Map(),
  since: new Map(),
  allowedDrainTimeMs: minutes(15),
  suspects: {},
  ...change,
});

interface Case {
  readonly name: string;
  readonly facts: ReconcileFacts;
  readonly key: string;
  /** How long it must have been known. */
  readonly afterMs: number;
  readonly action: string;
}

const cases: Case[] = [
  {
    name: 'a runner whose instance is gone',
    facts: facts({ runners: [runner('i-1', { status: 'offline' })] }),
    key: 'runner:1',
    afterMs: minutes(1),
    action: 'remove-runner',
  },
  {
    name: 'an instance in service without a runner',
    facts: facts({ instances: [instance('i-1')] }),
    key: 'instance:i-1',
    afterMs: minutes(10),
    action: 'mark-unhealthy',
  },
  {
    name: 'an instance in service whose name another machine has taken',
    facts: facts({ instances: [instance('i-1')], runners: [runner('i-1', { labels: ['self-hosted', 'another'] })] }),
    key: 'instance:i-1',
    afterMs: minutes(10),
    action: 'mark-unhealthy',
  },
  {
    name: 'a registered runner that stays offline',
    facts: facts({ instances: [instance('i-1')], runners: [runner('i-1', { status: 'offline' })] }),
    key: 'offline:i-1',
    afterMs: minutes(25),
    action: 'mark-unhealthy',
  },
  {
    name: 'a host that says it is unfit',
    facts: facts({
      instances: [instance('i-1')],
      runners: [runner('i-1')],
      reports: new Map([['i-1', { at: now, phase: 'unfit', workers: 0, unfit: 'disk-full' }]]),
    }),
    key: 'unfit:i-1',
    afterMs: minutes(1),
    action: 'mark-unhealthy',
  },
  {
    name: 'a broken host while launches are braked',
    facts: {
      ...facts({
        instances: [instance('i-1')],
        runners: [runner('i-1')],
        reports: new Map([['i-1', { at: now, phase: 'unfit', workers: 0, unfit: 'broken' }]]),
      }),
      braked: true,
    },
    key: 'unfit:i-1',
    afterMs: minutes(30),
    action: 'mark-unhealthy',
  },
  {
    name: 'the secret of a gone instance',
    facts: facts({ secrets: [{ instanceId: 'i-1', storedAt: now - minutes(60) }] }),
    key: 'secret:i-1',
    afterMs: minutes(1),
    action: 'delete-secret',
  },
  {
    name: 'the secret of an instance in service',
    facts: facts({
      instances: [instance('i-1')],
      runners: [runner('i-1')],
      secrets: [{ instanceId: 'i-1', storedAt: now - minutes(60) }],
    }),
    key: 'secret:i-1',
    afterMs: minutes(1),
    action: 'delete-secret',
  },
  {
    name: 'a secret that is an hour old',
    facts: facts({
      instances: [instance('i-1', { lifecycleState: 'Pending:Wait' })],
      secrets: [{ instanceId: 'i-1', storedAt: now - minutes(60) }],
    }),
    key: 'secret:i-1',
    afterMs: minutes(1),
    action: 'delete-secret',
  },
  {
    name: 'protection without a Worker',
    facts: facts({ instances: [instance('i-1', { protectedFromScaleIn: true })], runners: [runner('i-1')] }),
    key: 'protection:i-1',
    afterMs: minutes(1),
    action: 'clear-protection',
  },
  {
    name: 'a warm-pool member that is offline',
    facts: facts({
      instances: [
        instance('i-1', { lifecycleState: 'Warmed:Hibernated', inWarmPool: true, launchTemplateVersion: '2' }),
      ],
      runners: [runner('i-1', { status: 'offline' })],
    }),
    key: 'warm:i-1',
    afterMs: days(13),
    action: 'replace-warm-member',
  },
];

it.each([
  ['newer than', '10', '9'],
  ['as old as', '9', '9'],
  ['not comparable with', undefined, '9'],
  ['not comparable with $Latest,', '9', undefined],
])('decideReconcile keeps a warm-pool member that is %s the version of the group', (_, version, groupVersion) => {
  const member = instance('i-1', { lifecycleState: 'Warmed:Hibernated', inWarmPool: true });
  const { group } = facts({ instances: [{ ...member, ...(version && { launchTemplateVersion: version }) }] });
  const { launchTemplateVersion: _old, ...rest } = group;
  const seen = facts({ group: { ...rest, ...(groupVersion && { launchTemplateVersion: groupVersion }) } });

  expect(decideReconcile(seen, now).suspects).toEqual({});
});

describe('two readings', () => {
  it.each(cases)('decideReconcile does nothing about $name on the first reading', ({ facts: seen, key }) => {
    const plan = decideReconcile(seen, now);

    expect(plan.due).toEqual([]);
    expect(plan.suspects).toEqual({ [key]: now });
  });

  it.each(cases)('acts on $name when it was seen long enough ago', ({ facts: seen, key, afterMs, action }) => {
    const plan = decideReconcile({ ...seen, suspects: { [key]: now - afterMs } }, now);

    expect(plan.due.map((finding) => finding.action.kind)).toEqual([action]);
    expect(decideReconcile({ ...seen, suspects: { [key]: now - afterMs + 1 } }, now).due).toEqual([]);
  });

  it('forgets a suspect that looks right again', () => {
    const plan = decideReconcile(
      facts({ instances: [instance('i-1')], runners: [runner('i-1')], suspects: { 'instance:i-1': 1 } }),
      now,
    );

    expect(plan).toEqual({ due: [], suspects: {} });
  });
});

describe('what it leaves alone', () => {
  const harmless: [string, ReconcileFacts][] = [
    ['an online runner whose instance is not in the group', facts({ runners: [runner('i-1')] })],
    [
      "another fleet's runner",
      facts({ runners: [runner('i-1', { status: 'offline', labels: ['instance_id:i-1', 'installation_id:other'] })] }),
    ],
    [
      'an instance without a runner on which a Worker was reported',
      facts({
        instances: [instance('i-1')],
        reports: new Map([['i-1', { at: now, workers: 1, phase: 'serving' as const }]]),
      }),
    ],
    [
      'a host of an earlier jobs mode, whose runner has labels of its scale set alone',
      facts({
        instances: [instance('i-1')],
        runners: [runner('i-1', { labels: ['fleet'] })],
        reports: new Map([['i-1', { at: now, workers: 0, phase: 'serving' as const, mode: 'jobs' as const }]]),
      }),
    ],
    [
      'an offline runner on whose host a Worker was reported',
      facts({
        instances: [instance('i-1')],
        runners: [runner('i-1', { status: 'offline' })],
        reports: new Map([['i-1', { at: now, workers: 1, phase: 'serving' as const }]]),
      }),
    ],
    [
      'an offline runner that the platform calls busy',
      facts({ instances: [instance('i-1')], runners: [runner('i-1', { status: 'offline', busy: true })] }),
    ],
    [
      'protection that a busy runner explains',
      facts({ instances: [instance('i-1', { protectedFromScaleIn: true })], runners: [runner('i-1', { busy: true })] }),
    ],
    [
      'protection that a reported Worker explains',
      facts({
        instances: [instance('i-1', { protectedFromScaleIn: true })],
        runners: [runner('i-1')],
        reports: new Map([['i-1', { at: now, workers: 1, phase: 'serving' as const }]]),
      }),
    ],
    [
      'a secret younger than an hour of an instance that is gone or in service: the list lags behind',
      facts({
        instances: [instance('i-1')],
        runners: [runner('i-1')],
        secrets: ['i-1', 'i-2'].map((instanceId) => ({ instanceId, storedAt: now - minutes(59) })),
      }),
    ],
    [
      'the fresh secret of a launching instance',
      facts({
        instances: [instance('i-1', { lifecycleState: 'Pending:Wait' })],
        secrets: [{ instanceId: 'i-1', storedAt: now }],
      }),
    ],
    [
      'the configuration of an instance in jobs mode that boots for hours: it gets no other',
      {
        ...facts({
          instances: [instance('i-1', { lifecycleState: 'Pending:Wait' })],
          secrets: [{ instanceId: 'i-1', storedAt: now - minutes(19 * 60) }],
        }),
        jobsMode: true,
      },
    ],
  ];
  it.each(harmless)('leaves %s', (_, seen) => {
    expect(decideReconcile(seen, now)).toEqual({ due: [], suspects: {} });
  });
});

it('replaces one offline runner in a pass, also when all of them are offline', () => {
  const ids = ['i-1', 'i-2', 'i-3'];
  const seen = facts({
    instances: ids.map((id) => instance(id)),
    runners: ids.map((id) => runner(id, { status: 'offline' })),
    suspects: Object.fromEntries(ids.map((id) => [`offline:${id}`, 0])),
  });

  expect(decideReconcile(seen, now).due.map(({ key }) => key)).toEqual(['offline:i-1']);
});

it('completes a termination hook that is open longer than the drain time and its margin', () => {
  const leaving = facts({
    instances: [instance('i-1', { lifecycleState: 'Terminating:Wait' })],
    since: new Map([['i-1', now - minutes(25)]]),
  });

  expect(decideReconcile(leaving, now).due.map(({ action }) => action)).toEqual([
    { kind: 'complete-termination', instanceId: 'i-1' },
  ]);
});

it('decideReconcile does a bounded amount of work in one pass', () => {
  const many = Array.from({ length: 200 }, (_, index) => runner(`i-${index}`, { status: 'offline' }));
  const suspects = Object.fromEntries(many.map(({ id }) => [`runner:${id}`, 0]));

  const plan = decideReconcile(facts({ runners: many, suspects }), now);

  expect(plan.due).toHaveLength(mostActionsPerPass);
  expect(Object.keys(plan.suspects)).toHaveLength(200);
});

it('counts a runner as idle only when it is online, not busy, not protected and in service', () => {
  const group = facts({
    instances: [
      instance('i-1'),
      instance('i-2', { protectedFromScaleIn: true }),
      instance('i-3'),
      instance('i-4'),
      instance('i-5', { lifecycleState: 'Terminating:Wait' }),
      instance('i-6'),
    ],
  }).group;
  const runners = [
    runner('i-1'),
    runner('i-2'),
    runner('i-3', { busy: true }),
    runner('i-4', { status: 'offline' }),
    runner('i-5'),
    runner('i-9', { labels: [] }),
  ];

  expect(countRunners(group, runners)).toEqual({
    idle: 1,
    busy: 1,
    offline: 1,
    registeredInService: 4,
    inService: 5,
    unseen: 2,
  });
});

describe('reconcile of a fleet in jobs mode', () => {
  const due = (change: Partial<ReconcileFacts> & { instances?: FleetInstance[] }) => {
    const jobsMode = facts({ jobsMode: true, ...change });
    const { suspects } = decideReconcile(jobsMode, now - minutes(15));
    return decideReconcile({ ...jobsMode, suspects }, now).due.map(
      ({ because, action }) => `${action.kind}: ${because}`,
    );
  };
  const report = { at: now - minutes(2), workers: 0, phase: 'serving', runnerVersion: '2.337.0' } as const;
  const guarded = [instance('i-1', { protectedFromScaleIn: true })];

  it('leaves protected instances and those without a listed runner alone', () => {
    expect(due({ instances: guarded, reports: new Map([['i-1', report]]) })).toEqual([]);
    expect(due({ instances: guarded })).toEqual([]);
  });

  it('an unfit host is replaced', () => {
    const unfit = { ...report, phase: 'unfit', unfit: 'disk-full' } as const;

    expect(due({ instances: guarded, reports: new Map([['i-1', unfit]]) })).toEqual([
      'mark-unhealthy: host-unfit: disk-full',
    ]);
  });
});
