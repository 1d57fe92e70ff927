import type { Job } from '@drover/cloud-github';
import { environment, typeMemoryKey } from '@drover/core/names/runner-fleet';
import { beforeAll, describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const inputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 5,
  idleRunnersTargetCount: 0,
  types: { small: { extraLabels: ['tiny'] }, large: { instanceType: 't3a.2xlarge', asgMaxSize: 3 } },
} as const;

/** The type of the group that an instance is, or was, in. */
const groupOf = (stage: CheckedFleetStage, instanceId: string | undefined) =>
  stage.fleet.world.machines.get(instanceId ?? '')?.instance.tags['aws:autoscaling:groupName'];

describe('a fleet with two further types', () => {
  let stage: CheckedFleetStage;
  const jobs: Record<string, Job> = {};
  const refused: string[] = [];
  const hosts: Record<string, string | undefined> = {};

  const enqueue = (label: string, durationMs = 3 * minute) =>
    stage.fleet.codeHost.registry.queue.enqueue({ durationMs, runsOn: [label] });
  const done = (...wanted: readonly Job[]) =>
    stage.fleet.until('the jobs are done', () => wanted.every(({ state }) => state === 'completed'), 20 * minute);
  const sizes = () =>
    ['runners', 'runners-small', 'runners-large'].map((name) => stage.fleet.world.observe.group(name)?.members.size);
  const sets = () => stage.fleet.codeHost.scaleSets;

  beforeAll(async () => {
    stage = await CheckedFleetStage.open(inputs, {
      before: ({ world }) => {
        world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
        world.observe.onAuthorization(({ refusal }) => refusal !== undefined && refused.push(refusal));
      },
    });
    await stage.pass(2);
    for (const label of ['runners', 'runners-small', 'tiny', 'runners-large']) jobs[label] = enqueue(label);
    await done(...Object.values(jobs));
    for (const [label, job] of Object.entries(jobs)) hosts[label] = groupOf(stage, job.runnerName);
    await stage.pass(3);
  }, 600_000);

  it('a job runs on a host of the type whose name or label it asks for', () => {
    expect(hosts).toEqual({
      runners: 'runners',
      'runners-small': 'runners-small',
      tiny: 'runners-small',
      'runners-large': 'runners-large',
    });
  });

  it('hosts of a type are made of its own launch template, and have its name as a tag', () => {
    const { instance } = stage.fleet.world.machines.get(jobs['runners-large']?.runnerName ?? '')!;

    expect(instance.instanceType).toBe('t3a.2xlarge');
    expect(instance.tags).toMatchObject({ 'drover:fleet': 'runners', 'drover:type': 'large' });
  });

  it('each type shrinks to zero when its jobs are done, and leaves no runner', () => {
    expect(sizes()).toEqual([0, 0, 0]);
    expect(stage.fleet.codeHost.registry.runners).toEqual([]);
  });

  it('three types take two REST requests for the connection that they share, and no right that the functions lack', () => {
    const rest = stage.fleet.world.engine.journal.entries.filter(
      ({ kind, source, name, subject = '' }) =>
        kind === 'request' &&
        source === 'platform' &&
        subject.startsWith('runners_') &&
        / \/(orgs|actions)\//.test(name) &&
        !name.includes('deprecations'),
    );

    expect(refused).toEqual([]);
    expect(rest.map(({ name, subject }) => `${subject} ${name}`)).toEqual([
      'runners_demand POST /orgs/{org}/actions/runners/registration-token',
      'runners_demand POST /actions/runner-registration',
    ]);
  });

  it('a quiet type writes nothing to the memory bucket', async () => {
    const writes = () =>
      stage.fleet.world.engine.journal.entries.filter(
        ({ kind, name, subject = '' }) => kind === 'request' && name === 'PutObject' && subject.includes('/types/'),
      ).length;
    const before = writes();
    await stage.pass(10);

    expect(writes() - before).toBe(0);
  });

  it('a type whose scale set another session holds keeps no other type from its jobs', async () => {
    expect(await stage.alarms('demand_signal_old-')).toMatchObject([{ StateValue: 'OK' }]);
    const large = sets().named('runners-large')!;
    sets().evict(large);
    sets().openSession(large, 'somebody');
    await stage.pass(2);
    const waiting = enqueue('runners-large');
    await done(enqueue('runners'), enqueue('runners-small'));

    expect(waiting.state).not.toBe('completed');
    expect(await stage.logOf('demand')).toMatch(/another session holds the scale set.*"group":"runners-large"/);
    expect(await stage.alarms('demand_signal_old-')).toMatchObject([{ StateValue: 'ALARM' }]);
    sets().evict(large);
    await done(waiting);
  });

  it('a type without capacity keeps no other type from its jobs, and starts its own when there is some', async () => {
    const lift = stage.fault({
      service: 'autoscaling',
      operation: 'Launch',
      subject: 'runners-large',
      effect: { kind: 'error' },
    });
    const waiting = enqueue('runners-large');
    await done(enqueue('runners'), enqueue('runners-small'));

    expect(waiting.state).not.toBe('completed');
    lift();
    await done(waiting);
  });

  it('a type that is removed with its key alone leaves no scale set and no memory, and the others go on', async () => {
    const { large: _, ...types } = inputs.types;
    const { observe } = stage.fleet.world;
    const { [environment.memoryBucket]: bucket = '' } = observe.functionState('runners_demand')!.environment;
    const remembered = (type: string) => observe.object(bucket, typeMemoryKey(type)) !== undefined;
    await stage.pass(5);
    expect(remembered('large')).toBe(true);
    await stage.update({ ...inputs, types });
    await stage.pass(10);

    expect(sets().named('runners-large')).toBeUndefined();
    expect(sets().named('runners-small')).toBeDefined();
    expect([remembered('large'), remembered('small')]).toEqual([false, true]);
    expect(refused).toEqual([]);
    await done(enqueue('tiny'));
  });

  it('the last type that is removed leaves no scale set either', async () => {
    await stage.pass(5);
    const { types: _, ...without } = inputs;
    await stage.update(without);
    await stage.pass(10);

    expect(sets().named('runners-small')).toBeUndefined();
    expect(sets().named('runners')).toBeDefined();
  });

  it('a fleet with types keeps every promise at rest', async () => {
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('a type whose key leaves the file while its hosts are there', () => {
  it('its job ends, and neither a secret nor a runner nor a refused right is left of its hosts', async () => {
    const refused: string[] = [];
    const stage = await CheckedFleetStage.open(inputs, {
      before: ({ world }) =>
        world.observe.onAuthorization(({ refusal }) => refusal !== undefined && refused.push(refusal)),
    });
    const { queue, runners } = stage.fleet.codeHost.registry;
    const { observe } = stage.fleet.world;
    const hosts = () => [...(observe.group('runners-large')?.members.values() ?? [])];
    const ofType = () => observe.secretNames().filter((name) => name.startsWith('actions-runner/runners-large/'));
    await stage.pass(2);
    const long = queue.enqueue({ durationMs: 12 * minute, runsOn: ['runners-large'] });
    await stage.fleet.until('it runs', () => long.state === 'running', 20 * minute);
    const cutOff = queue.enqueue({ durationMs: minute, runsOn: ['runners-large'] });
    await stage.fleet.until('a host boots with its secret', () => ofType().length === 1, 20 * minute);
    expect(hosts()).toHaveLength(2);
    // A host that is ended in the middle of its boot deletes no secret by itself.
    stage.fleet.world.machines.kill(hosts().find(({ instanceId }) => instanceId !== long.runnerName)!.instanceId);
    const { large: _, ...types } = inputs.types;
    await stage.update({ ...inputs, types });
    await stage.pass(90);

    expect([long.state, cutOff.state]).toEqual(['completed', 'queued']);
    expect(hosts()).toEqual([]);
    expect(ofType()).toEqual([]);
    expect(runners).toEqual([]);
    expect(stage.fleet.codeHost.scaleSets.named('runners-large')).toBeUndefined();
    expect(refused).toEqual([]);
  }, 600_000);
});
