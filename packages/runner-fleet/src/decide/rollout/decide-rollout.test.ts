import { describe, expect, it } from 'vitest';
import type { FleetInstance, GroupFacts, HostReport, Runner } from '../../model/fleet.ts';
import { decideRollout, type RolloutFacts } from './decide-rollout.ts';

const now = 10_000_000_000;
const minutes = (count: number) => count * 60_000;
const days = (count: number) => count * 86_400_000;
const member = (id: string, change: Partial<FleetInstance> = {}): FleetInstance => ({
  id,
  lifecycleState: 'InService',
  healthy: true,
  protectedFromScaleIn: false,
  inWarmPool: false,
  launchTemplateVersion: '2',
  ...change,
});
const old = { launchTemplateVersion: '1' };
const runner = (name: string, change: Partial<Runner> = {}): Runner => ({
  id: Number(name.slice(2)),
  name,
  status: 'online',
  busy: false,
  labels: [`instance_id:${name}`, 'installation_id:fleet', 'self-hosted'],
  version: '2.337.0',
  ...change,
});
const own = (name: string) => ({ labels: [`instance_id:${name}`, 'installation_id:fleet'] });
const report = (change: Partial<HostReport> = {}): HostReport => ({
  at: now - minutes(1),
  workers: 0,
  phase: 'serving',
  runnerVersion: '2.337.0',
  ...change,
});

type Change = Partial<Omit<RolloutFacts, 'group' | 'runners' | 'reports'>> & {
  readonly instances?: readonly FleetInstance[];
  readonly runners?: readonly Runner[];
  readonly reports?: Readonly<Record<string, HostReport>>;
  readonly group?: Partial<GroupFacts>;
};

function plan({ instances = [], runners, reports, group, ...change }: Change) {
  const hosts = instances.filter(({ lifecycleState }) => lifecycleState === 'InService');
  const listed = runners ?? hosts.map(({ id }) => runner(id));
  const said = Object.entries(reports ?? Object.fromEntries(hosts.map(({ id }) => [id, report()])));
  return decideRollout(
    {
      mode: 'idle',
      group: {
        name: 'fleet',
        minSize: 0,
        maxSize: 99,
        desiredCapacity: hosts.length,
        instances,
        hasWarmPool: false,
        launchTemplateVersion: '2',
        ...group,
      },
      release: { version: '2.337.0', checksum: 'a'.repeat(64), checkedAt: now, ends: {} },
      runners: new Map(change.mode === 'jobs' ? [] : listed.map((each) => [each.name, each])),
      reports: new Map(said),
      bootFailures: [],
      retiring: {},
      ...change,
    },
    now,
  );
}

const steps = (change: Change): string[] =>
  plan(change).steps.map((step) =>
    step.kind === 'launch-first' ? `launch-first ${step.capacity}` : `${step.kind} ${step.instanceId}: ${step.because}`,
  );

describe('a roll-out of a launch template in idle mode', () => {
  const failed = { instanceId: 'i-9', at: now - minutes(20), reason: 'puppet', template: '2' };
  const three = [member('i-1', old), member('i-2', old), member('i-3')];

  it('a newcomer is launched before any host goes, and nothing begins while it boots', () => {
    const before = [member('i-1', old), member('i-2', old)];
    const boots = member('i-9', { lifecycleState: 'Pending:Wait' });

    expect(steps({ instances: before })).toEqual(['launch-first 3']);
    expect(steps({ instances: [...before, boots] })).toEqual([]);
    expect(steps({ instances: before, group: { desiredCapacity: 3 } })).toEqual([]);
  });

  it('a boot that began before the template came is no newcomer, and nothing waits for it', () => {
    const instances = [
      member('i-1', old),
      member('i-2', old),
      member('i-9', { ...old, lifecycleState: 'Pending:Wait' }),
    ];
    const ofIdleMode = { 'i-1': report({ mode: 'idle' }), 'i-2': report({ mode: 'idle' }) };
    const full = { desiredCapacity: 3, maxSize: 3 };

    expect(steps({ instances, group: { desiredCapacity: 3 } })).toEqual(['launch-first 4']);
    expect(steps({ instances, group: full })).toEqual(['take-labels i-1: launch-template']);
    expect(steps({ instances, group: full, mode: 'jobs', reports: ofIdleMode })).toEqual([
      'remove-and-replace i-1: scaling-mode',
    ]);
    expect(steps({ instances, group: { desiredCapacity: 4 } })).toEqual([]);
  });

  it('an idle host makes room for the newcomer where the group is at its maximum', () => {
    expect(steps({ instances: [member('i-1', old), member('i-2', old)], group: { maxSize: 2 } })).toEqual([
      'take-labels i-1: launch-template',
    ]);
  });

  it('a newcomer that failed stops the roll-out for as long as its failure is known, until there is another template', () => {
    const instances = [member('i-1', old), member('i-2', old)];
    const hoursAgo = { ...failed, at: now - minutes(300) };

    expect(plan({ instances, bootFailures: [failed] })).toMatchObject({ steps: [], outdated: 2, stoppedBy: failed });
    expect(plan({ instances, bootFailures: [hoursAgo] })).toMatchObject({ steps: [], stoppedBy: hoursAgo });
    expect(steps({ instances, bootFailures: [failed], group: { launchTemplateVersion: '3' } })).toEqual([
      'launch-first 3',
    ]);
  });

  it('a failure is waited out for an hour when hosts of the template serve, and the roll-out goes on then', () => {
    const at = (ago: number) => plan({ instances: three, bootFailures: [{ ...failed, at: now - minutes(ago) }] });

    expect(at(20)).toMatchObject({ steps: [] });
    expect(at(20).stoppedBy).toBeUndefined();
    expect(at(61).steps).toMatchObject([{ kind: 'take-labels', instanceId: 'i-1' }]);
  });

  it('an idle host loses its labels before a busy one, and a busy one when no other is left', () => {
    const busy = runner('i-1', { busy: true });

    expect(steps({ instances: three, runners: [busy, runner('i-2'), runner('i-3')] })).toEqual([
      'take-labels i-2: launch-template',
    ]);
    expect(steps({ instances: [three[0]!, three[2]!], runners: [busy, runner('i-3')] })).toEqual([
      'take-labels i-1: launch-template',
    ]);
  });

  it('a host without labels is replaced ten minutes later unless it has a job, and no other begins meanwhile', () => {
    const runners = (change: Partial<Runner> = {}) => [runner('i-1', { ...own('i-1'), ...change }), runner('i-2')];
    const since = (ago: number) => ({ retiring: { 'i-1': now - minutes(ago) } });
    const works = { 'i-1': report({ workers: 1 }) };

    expect(steps({ instances: three, runners: runners(), ...since(11) })).toEqual([
      'replace i-1: runner-without-labels',
    ]);
    expect(steps({ instances: three, runners: runners(), ...since(9) })).toEqual([]);
    expect(plan({ instances: three, runners: runners() })).toMatchObject({ steps: [], retiring: { 'i-1': now } });
    expect(steps({ instances: three, runners: runners({ busy: true }), ...since(11) })).toEqual([]);
    expect(steps({ instances: three, runners: runners(), reports: works, ...since(11) })).toEqual([]);
  });

  it('the time in which a host has lost its labels is remembered', () => {
    expect(plan({ instances: three }).retiring).toEqual({ 'i-1': now });
  });

  it('one in ten hosts of a large fleet leaves at a time', () => {
    const instances = Array.from({ length: 31 }, (_, index) => member(`i-${index + 1}`, index === 30 ? {} : old));

    expect(steps({ instances })).toHaveLength(4);
  });

  it('a host of a newer version than the group has after a roll-back is replaced, too', () => {
    expect(steps({ instances: [member('i-1', { launchTemplateVersion: '3' }), member('i-2')] })).toEqual([
      'take-labels i-1: launch-template',
    ]);
  });
});

describe('a roll-out of a warm pool', () => {
  const stale = (id: string) => member(id, { lifecycleState: 'Warmed:Hibernated', inWarmPool: true, ...old });

  it('one member is replaced first, the others when it serves, and hosts only after them', () => {
    const instances = [member('i-1', old), stale('i-2'), stale('i-3')];
    const renewed = member('i-4', { lifecycleState: 'Warmed:Hibernated', inWarmPool: true });

    expect(steps({ instances })).toEqual(['replace i-2: warm-pool-member']);
    expect(steps({ instances: [member('i-1', old), stale('i-3'), renewed] })).toEqual([
      'replace i-3: warm-pool-member',
    ]);
    expect(steps({ instances: [member('i-1', old), renewed] })).toEqual(['take-labels i-1: launch-template']);
  });

  it('nothing goes while a member is prepared, and none after a member of the template has failed', () => {
    const instances = [member('i-1', old), stale('i-2')];
    const prepared = member('i-4', { lifecycleState: 'Warmed:Pending:Wait', inWarmPool: true });
    const failed = { instanceId: 'i-9', at: now - minutes(20), reason: 'puppet', template: '2' };

    expect([steps({ instances: [...instances, prepared] }), steps({ instances, bootFailures: [failed] })]).toEqual([
      [],
      [],
    ]);
  });
});

describe('hosts that are outdated for another reason', () => {
  const two = [member('i-1'), member('i-2')];
  const reports = (change: Partial<HostReport>) => ({ 'i-1': report(change), 'i-2': report() });

  it('a host that is older than its lifetime goes, and at any age without one', () => {
    const aged = reports({ launchedAt: now - days(30) });

    expect(steps({ instances: two, reports: aged, mostAgeMs: days(30) })).toEqual(['take-labels i-1: lifetime']);
    expect(steps({ instances: two, reports: aged, mostAgeMs: days(31) })).toEqual([]);
    expect(steps({ instances: two, reports: aged })).toEqual([]);
  });

  it('a spot instance that EC2 may take back goes only where that is asked for', () => {
    const atRisk = { instances: two, reports: reports({ atRisk: true }) };

    expect(steps({ ...atRisk, replacesAtRisk: true })).toEqual(['take-labels i-1: spot-at-risk']);
    expect(steps(atRisk)).toEqual([]);
  });

  it('a busy runner of an older version keeps its labels until ten days before the end of its version', () => {
    const version = '2.336.0';
    const busy = (endsInDays?: number) =>
      steps({
        instances: [member('i-1')],
        runners: [runner('i-1', { version, busy: true })],
        release: {
          version: '2.337.0',
          checksum: 'a'.repeat(64),
          checkedAt: now,
          ends: endsInDays === undefined ? {} : { [version]: now + days(endsInDays) },
        },
      });

    expect([busy(), busy(11), busy(9)]).toEqual([[], [], ['take-labels i-1: runner-version']]);
  });

  it('the report of a host shows the version where the platform does not, and an unknown version stays', () => {
    const { version: _, ...untold } = runner('i-1');
    const said = (change: Partial<HostReport>) =>
      steps({ instances: [member('i-1')], runners: [untold], reports: { 'i-1': report(change) } });
    const { runnerVersion: _version, ...silent } = report();

    expect(said({ runnerVersion: '2.336.0' })).toEqual(['take-labels i-1: runner-version']);
    expect(steps({ instances: [member('i-1')], runners: [untold], reports: { 'i-1': silent } })).toEqual([]);
  });

  it('an offline runner and a newer version than the mirrored one stay', () => {
    expect(
      steps({
        instances: two,
        runners: [runner('i-1', { status: 'offline', version: '2.336.0' }), runner('i-2', { version: '2.338.0' })],
        reports: {},
      }),
    ).toEqual([]);
  });
});

describe('a roll-out in jobs mode', () => {
  const jobs = { mode: 'jobs' } as const;

  it.each([
    ['an idle host of an older template', { ...old }, {}, ['remove-and-replace i-1: launch-template']],
    ['a busy one', { ...old }, { workers: 1 }, []],
    ['one whose report is old', { ...old }, { at: now - minutes(11) }, []],
    ['one that has finished', { ...old }, { phase: 'finished' }, []],
    ['one with old runner software', {}, { runnerVersion: '2.330.0' }, ['remove-and-replace i-1: runner-version']],
    ['one that was made for idle mode', { ...old }, { mode: 'idle' }, ['remove-and-replace i-1: scaling-mode']],
  ] as const)('%s is removed at the service first, and only an idle one', (_, change, said, expected) => {
    const instances = [member('i-1', change), member('i-2')];

    expect(steps({ ...jobs, instances, reports: { 'i-1': report(said), 'i-2': report() } })).toEqual(expected);
  });

  it('one idle host goes first while none of the template serves, and no other when its replacement has failed', () => {
    const instances = [member('i-1', old), member('i-2', old)];
    const failed = { instanceId: 'i-9', at: now - minutes(90), reason: 'puppet', template: '2' };

    expect(steps({ ...jobs, instances })).toEqual(['remove-and-replace i-1: launch-template']);
    expect(plan({ ...jobs, instances, bootFailures: [failed] })).toMatchObject({ steps: [], stoppedBy: failed });
  });
});

describe('hosts of idle mode after the change to jobs mode, which take no job and keep places', () => {
  const jobs = { mode: 'jobs' } as const;
  const reports = { 'i-1': report({ mode: 'idle' }), 'i-2': report({ mode: 'idle' }) };
  const both = ['remove-and-replace i-1: scaling-mode', 'remove-and-replace i-2: scaling-mode'];

  it('go within the hour of a failed boot, too, once an instance of the template has booted', () => {
    const failed = { instanceId: 'i-9', at: now - minutes(15), reason: 'puppet', template: '2' };
    const ready = member('i-3', { lifecycleState: 'Warmed:Hibernated', inWarmPool: true });
    const hosts = [member('i-1', old), member('i-2', old)];

    expect(steps({ ...jobs, instances: [...hosts, ready], reports, bootFailures: [failed] })).toEqual(both);
    expect(steps({ ...jobs, instances: hosts, reports, bootFailures: [failed] })).toEqual([]);
  });

  it('go at once from a group that may have none, where no newcomer will show that the template boots', () => {
    const boots = member('i-3', { lifecycleState: 'Pending:Wait' });
    const instances = [member('i-1', old), member('i-2', old), boots];

    expect(steps({ ...jobs, instances, reports, group: { maxSize: 0, desiredCapacity: 0 } })).toEqual(both);
    expect(steps({ ...jobs, instances, reports })).toEqual([]);
  });
});

describe('hosts of jobs mode after the change to idle mode', () => {
  const instances = [member('i-1', old), member('i-2', old), member('i-3', old), member('i-4')];
  const ofScaleSet = (name: string, change: Partial<Runner> = {}) => runner(name, { labels: ['runners'], ...change });
  const runners = [ofScaleSet('i-1'), ofScaleSet('i-2', { busy: true }), ofScaleSet('i-3'), runner('i-4')];
  const made = (change: Partial<HostReport> = {}) => report({ mode: 'jobs', ...change });

  it('idle ones are all removed at once, also while others launch, and busy ones stay', () => {
    const reports = { 'i-1': made(), 'i-2': made({ workers: 1 }), 'i-3': made(), 'i-4': report() };
    const boots = member('i-9', { lifecycleState: 'Pending:Wait' });

    expect(steps({ instances: [...instances, boots], runners, reports })).toEqual([
      'remove-and-replace i-1: scaling-mode',
      'remove-and-replace i-3: scaling-mode',
    ]);
  });

  it('one that has had its job is replaced', () => {
    const reports = { 'i-1': made({ phase: 'finished' }) };

    expect(steps({ instances: [instances[0]!, instances[3]!], runners: [runner('i-4')], reports })).toEqual([
      'replace i-1: finished',
    ]);
  });
});
