import {
  CancelInstanceRefreshCommand,
  DeleteWarmPoolCommand,
  DescribeInstanceRefreshesCommand,
  DescribeWarmPoolCommand,
  ExecutePolicyCommand,
  type InstanceRequirements,
  PutScalingPolicyCommand,
  PutWarmPoolCommand,
  type PutWarmPoolCommandInput,
  type RefreshPreferences,
  SetInstanceHealthCommand,
  SetInstanceProtectionCommand,
  StartInstanceRefreshCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateVersionCommand } from '@aws-sdk/client-ec2';
import { expect } from 'vitest';
import { contract } from './contract.ts';
import { createGroup, type Group, type GroupOptions } from './fixtures/group.ts';
import { createLaunchTemplate } from './fixtures/launch-template.ts';
import { type BusEvent, recorderOfEvents } from './fixtures/recorder.ts';
import { minutes, seconds, type Target } from './target.ts';

// ---- Warm pools ------------------------------------------------------------------------------------------------------

async function putWarmPool(target: Target, group: Group, pool: Partial<PutWarmPoolCommandInput>): Promise<void> {
  const { autoscaling } = target.clients;
  const AutoScalingGroupName = group.name;
  await autoscaling.send(new PutWarmPoolCommand({ AutoScalingGroupName, ...pool }));
  target.cleanup(() => autoscaling.send(new DeleteWarmPoolCommand({ AutoScalingGroupName, ForceDelete: true })));
}

async function warmStates(target: Target, group: Group): Promise<ReadonlyMap<string, string>> {
  const input = { AutoScalingGroupName: group.name };
  const { Instances } = await target.clients.autoscaling.send(new DescribeWarmPoolCommand(input));
  return new Map((Instances ?? []).map((each) => [each.InstanceId ?? '', each.LifecycleState ?? '']));
}

const warmInstanceIn = (target: Target, group: Group, state: string) =>
  target.until(`an instance in ${state}`, async () => {
    for (const [id, seen] of await warmStates(target, group)) if (seen === state) return id;
    return undefined;
  });

// Naive: runs the launch hooks once, so an instance that leaves the pool serves before it has been prepared.
contract(
  '[rule 4] a warm pool runs the launch hooks when an instance enters the pool and again when it leaves it, with origin and destination',
  { minutes: 8, instances: 1 },
  async (target) => {
    const group = await createGroup(target, { hooks: [{ name: 'launch', at: 'launch' }], desired: 0, max: 1 });
    const pattern = { source: ['aws.autoscaling'], detail: { AutoScalingGroupName: [group.name] } };
    const recorder = await recorderOfEvents(target, pattern);
    await putWarmPool(target, group, { MinSize: 1, PoolState: 'Stopped' });
    const instance = await warmInstanceIn(target, group, 'Warmed:Pending:Wait');
    await group.complete(instance, 'launch', 'CONTINUE');
    await warmInstanceIn(target, group, 'Warmed:Stopped');

    await group.setDesired(1);

    await group.becomes(instance, 'Pending:Wait');
    await group.complete(instance, 'launch', 'CONTINUE');
    await group.becomes(instance, 'InService');
    const ways = await target.until('the events of both waits', async () => {
      const seen = (await recorder.events<BusEvent>())
        .filter((event) => event['detail-type'] === 'EC2 Instance-launch Lifecycle Action')
        .map(({ detail }) => `${detail.Origin} to ${detail.Destination}`);
      return seen.length >= 2 && [...new Set(seen)].sort();
    });
    expect(ways).toEqual(['EC2 to WarmPool', 'WarmPool to AutoScalingGroup']);
  },
);

// Naive: hibernates any instance on request.
contract(
  '[rule 4] a warm pool does not hibernate an instance whose launch template does not allow it',
  { minutes: 7, instances: 1 },
  async (target) => {
    const group = await createGroup(target, { desired: 0, max: 1 });
    await putWarmPool(target, group, { MinSize: 1, PoolState: 'Hibernated' });
    await target.until('an instance in the pool', async () => (await warmStates(target, group)).size > 0);

    const seen = new Set<string>();
    const watched = target.now() + minutes(4);
    while (target.now() < watched) {
      for (const state of (await warmStates(target, group)).values()) seen.add(state);
      await target.pass(seconds(10));
    }

    expect([...seen]).not.toContain('Warmed:Hibernated');
  },
);

// Naive: takes the prepared capacity for the size of the pool, and pays for one instance too many.
contract(
  '[rule 6] the group and its pool both count towards the prepared capacity',
  { minutes: 6, instances: 2 },
  async (target) => {
    const group = await createGroup(target, { desired: 1, max: 4 });
    await group.instanceIn('InService');

    await putWarmPool(target, group, { MinSize: 0, MaxGroupPreparedCapacity: 2, PoolState: 'Stopped' });

    await warmInstanceIn(target, group, 'Warmed:Stopped');
    await target.pass(seconds(60));
    expect((await warmStates(target, group)).size).toBe(1);
  },
);

// Naive: accepts the pool, and spot instances that cannot be stopped get into it.
contract(
  '[rule 6] Auto Scaling refuses a warm pool for a group with spot instances',
  { minutes: 1 },
  async (target) => {
    const LaunchTemplateSpecification = { LaunchTemplateId: await createLaunchTemplate(target), Version: '$Latest' };
    const group = await createGroup(target, {
      desired: 0,
      max: 1,
      more: {
        MixedInstancesPolicy: {
          LaunchTemplate: { LaunchTemplateSpecification, Overrides: [{ InstanceType: 't3.nano' }] },
          InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 0 },
        },
      },
    });

    await expect(putWarmPool(target, group, { MinSize: 0 })).rejects.toMatchObject({ name: 'ValidationError' });
  },
);

// ---- Instance requirements -------------------------------------------------------------------------------------------

const tiny: InstanceRequirements = {
  VCpuCount: { Min: 1, Max: 2 },
  MemoryMiB: { Min: 512, Max: 512 },
  BurstablePerformance: 'required',
  AllowedInstanceTypes: ['t3.nano', 't3a.nano', 't4g.nano'],
};
const describedBy = async (
  target: Target,
  requirements: InstanceRequirements,
  override: object = {},
  more: object = {},
) =>
  ({
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateId: await createLaunchTemplate(target), Version: '$Latest' },
        Overrides: [{ InstanceRequirements: requirements, ...override }],
      },
      InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 100, ...more },
    },
  }) satisfies GroupOptions['more'];

// Naive: launches the type of the launch template, or one for another processor than that of its image.
contract(
  '[rule 45] a group with instance requirements launches the cheapest type that meets them and runs its image, whatever type its launch template names',
  { minutes: 4, instances: 1 },
  async (target) => {
    const group = await createGroup(target, { more: await describedBy(target, tiny) });
    await group.instanceIn('InService');

    const { Instances, MixedInstancesPolicy } = (await group.describe())!;
    expect(Instances?.map(({ InstanceType }) => InstanceType)).toEqual(['t3a.nano']);
    expect(MixedInstancesPolicy?.InstancesDistribution?.OnDemandAllocationStrategy).toBe('lowest-price');
  },
);

// Naive: takes both, or an order of types that are not named, and launches what it likes.
contract(
  '[rule 45] instance requirements are refused beside an instance type, with an order of types and with a minimum above its maximum',
  { minutes: 1 },
  async (target) => {
    const refused = async (...asked: [InstanceRequirements, object?, object?]) => {
      const more = await describedBy(target, ...asked);
      await expect(createGroup(target, { desired: 0, max: 1, more })).rejects.toMatchObject({
        name: 'ValidationError',
      });
    };

    await refused(tiny, { InstanceType: 't3.nano' });
    await refused(tiny, {}, { OnDemandAllocationStrategy: 'prioritized' });
    await refused({ ...tiny, VCpuCount: { Min: 2, Max: 1 } });
  },
);

// ---- Protection ------------------------------------------------------------------------------------------------------

async function protect(target: Target, group: Group, instanceId: string): Promise<void> {
  const input = { AutoScalingGroupName: group.name, InstanceIds: [instanceId], ProtectedFromScaleIn: true };
  await target.clients.autoscaling.send(new SetInstanceProtectionCommand(input));
}

// Naive: sets the flag in any state; the caller believes in a protection that the instance does not have.
contract(
  '[rule 5] Auto Scaling refuses to protect an instance that is not in service yet',
  { minutes: 3, instances: 1 },
  async (target) => {
    const group = await createGroup(target, { hooks: [{ name: 'launch', at: 'launch' }] });
    const instance = await group.instanceIn('Pending:Wait');

    await expect(protect(target, group, instance)).rejects.toMatchObject({ name: 'ValidationError' });

    await group.complete(instance, 'launch', 'CONTINUE');
    await group.becomes(instance, 'InService');
    await protect(target, group, instance);
  },
);

// Naive: a protected instance is never touched, or protection is against nothing at all.
contract(
  '[rule 5] scale-in protection protects from scale-in, not from a health replacement or a manual termination',
  { minutes: 9, instances: 2 },
  async (target) => {
    const group = await createGroup(target);
    const first = await group.instanceIn('InService');
    await protect(target, group, first);

    await group.setDesired(0);
    await target.pass(seconds(90));
    expect(await group.stateOf(first)).toBe('InService');

    await group.setDesired(1);
    const health = { InstanceId: first, HealthStatus: 'Unhealthy', ShouldRespectGracePeriod: false };
    await target.clients.autoscaling.send(new SetInstanceHealthCommand(health));
    await group.ends(first);

    const second = await group.instanceIn('InService', first);
    await protect(target, group, second);
    await group.terminate(second, { replace: false });
    await group.ends(second);
  },
);

// ---- Scaling policies --------------------------------------------------------------------------------------------------

async function stepPolicy(target: Target, group: Group, warmupSeconds: number): Promise<string> {
  const PolicyName = 'steps';
  await target.clients.autoscaling.send(
    new PutScalingPolicyCommand({
      AutoScalingGroupName: group.name,
      PolicyName,
      PolicyType: 'StepScaling',
      AdjustmentType: 'ChangeInCapacity',
      EstimatedInstanceWarmup: warmupSeconds,
      StepAdjustments: [
        { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 10, ScalingAdjustment: 1 },
        { MetricIntervalLowerBound: 10, ScalingAdjustment: 3 },
      ],
    }),
  );
  return PolicyName;
}

const execute = (target: Target, group: Group, PolicyName: string, more: object) =>
  target.clients.autoscaling.send(new ExecutePolicyCommand({ AutoScalingGroupName: group.name, PolicyName, ...more }));

const desiredOf = async (group: Group) => (await group.describe())?.DesiredCapacity;

// Naive: compares the bounds with the metric itself, so 55 takes the step from 10 on and launches three.
contract(
  '[rule 7] a step policy takes the bounds of a step relative to the threshold',
  { minutes: 3, instances: 1 },
  async (target) => {
    const group = await createGroup(target, { desired: 0, max: 4 });
    const policy = await stepPolicy(target, group, 300);

    await execute(target, group, policy, { MetricValue: 55, BreachThreshold: 50 });

    await target.until('a new desired capacity', async () => (await desiredOf(group)) !== 0);
    expect(await desiredOf(group)).toBe(1);
  },
);

// Naive: adds an instance for each alarm period although the first is still on its way; or counts its warm-up from the launch.
contract(
  '[rule 7] Auto Scaling counts an instance as warming up until its launch hooks have ended and the warm-up is over',
  { minutes: 6, instances: 2 },
  async (target) => {
    const group = await createGroup(target, { hooks: [{ name: 'launch', at: 'launch' }], desired: 0, max: 4 });
    const policy = await stepPolicy(target, group, 60);
    const breach = { MetricValue: 55, BreachThreshold: 50 };
    await execute(target, group, policy, breach);
    const instance = await group.instanceIn('Pending:Wait');

    await target.pass(seconds(90));
    await execute(target, group, policy, breach);
    await target.pass(seconds(15));
    expect(await desiredOf(group)).toBe(1);

    await group.complete(instance, 'launch', 'CONTINUE');
    await group.becomes(instance, 'InService');
    await target.pass(seconds(90));
    await execute(target, group, policy, breach);
    await target.until('a second instance', async () => (await desiredOf(group)) === 2);
  },
);

// Naive: every call of a simple policy scales again.
contract(
  '[rule 7] a simple policy acts again only after its activity and the cooldown',
  { minutes: 5, instances: 1 },
  async (target) => {
    const group = await createGroup(target, { desired: 0, max: 4 });
    await target.clients.autoscaling.send(
      new PutScalingPolicyCommand({
        AutoScalingGroupName: group.name,
        PolicyName: 'simple',
        AdjustmentType: 'ChangeInCapacity',
        ScalingAdjustment: 1,
        Cooldown: 300,
      }),
    );
    const again = () => execute(target, group, 'simple', { HonorCooldown: true });
    await again();
    await target.until('the scaling', async () => (await desiredOf(group)) === 1);

    await expect(again()).rejects.toMatchObject({ name: 'ScalingActivityInProgressFault' });
    await group.instanceIn('InService');
    await expect(again()).rejects.toMatchObject({ name: 'ScalingActivityInProgressFault' });
    expect(await desiredOf(group)).toBe(1);
  },
);

// Naive: takes any number of steps, and the template fails in AWS only.
contract('[rule 7] Auto Scaling refuses more than twenty steps in a policy', { minutes: 1 }, async (target) => {
  const group = await createGroup(target, { desired: 0, max: 4 });
  const bounds = (index: number) => (index === 20 ? {} : { MetricIntervalUpperBound: index + 1 });
  const StepAdjustments = Array.from({ length: 21 }, (_, index) => ({
    MetricIntervalLowerBound: index,
    ...bounds(index),
    ScalingAdjustment: 1,
  }));

  const putting = target.clients.autoscaling.send(
    new PutScalingPolicyCommand({
      AutoScalingGroupName: group.name,
      PolicyName: 'too-many',
      PolicyType: 'StepScaling',
      AdjustmentType: 'ChangeInCapacity',
      StepAdjustments,
    }),
  );

  await expect(putting).rejects.toMatchObject({ name: 'LimitExceededFault' });
});

// ---- Instance refresh --------------------------------------------------------------------------------------------------

async function refresh(target: Target, group: Group, preferences: RefreshPreferences) {
  const { autoscaling } = target.clients;
  const AutoScalingGroupName = group.name;
  const Preferences = { InstanceWarmup: 0, ...preferences };
  await autoscaling.send(new StartInstanceRefreshCommand({ AutoScalingGroupName, Preferences }));
  const status = async () => {
    const { InstanceRefreshes } = await autoscaling.send(
      new DescribeInstanceRefreshesCommand({ AutoScalingGroupName }),
    );
    return InstanceRefreshes?.[0]?.Status;
  };
  const becomes = (wanted: string) =>
    target.until(`a refresh that is ${wanted}`, async () => (await status()) === wanted, minutes(15));
  const cancel = () => autoscaling.send(new CancelInstanceRefreshCommand({ AutoScalingGroupName }));
  return { status, becomes, cancel };
}

const versionsOf = async (group: Group) =>
  Object.fromEntries(
    ((await group.describe())?.Instances ?? []).map((each) => [each.InstanceId, each.LaunchTemplate?.Version]),
  );

// Naive: replaces the protected instance as well, or rolls back when the refresh is cancelled.
contract(
  '[rule 8] an instance refresh waits for a protected instance, and leaves what it has replaced when it is cancelled',
  { minutes: 14, instances: 3 },
  async (target) => {
    const launchTemplateId = await createLaunchTemplate(target);
    const group = await createGroup(target, { launchTemplateId, desired: 2 });
    const kept = await group.instanceIn('InService');
    const replaced = await group.instanceIn('InService', kept);
    await protect(target, group, kept);
    await target.clients.ec2.send(
      new CreateLaunchTemplateVersionCommand({
        LaunchTemplateId: launchTemplateId,
        SourceVersion: '1',
        LaunchTemplateData: { InstanceType: 't3.micro' },
      }),
    );

    const rollout = await refresh(target, group, { MinHealthyPercentage: 50 });
    const fresh = await group.instanceIn('InService', kept, replaced);
    await target.pass(seconds(90));
    expect(await rollout.status()).toBe('InProgress');
    expect(await group.stateOf(kept)).toBe('InService');

    await rollout.cancel();
    await rollout.becomes('Cancelled');
    await target.pass(seconds(30));
    expect(await versionsOf(group)).toMatchObject({ [kept]: '1', [fresh]: '2' });
  },
);

// Naive: knows one way to treat protected instances.
contract(
  '[rule 8] an instance refresh leaves or replaces a protected instance by preference',
  { minutes: 14, instances: 2 },
  async (target) => {
    const group = await createGroup(target);
    const old = await group.instanceIn('InService');
    await protect(target, group, old);

    const ignoring = await refresh(target, group, { MinHealthyPercentage: 0, ScaleInProtectedInstances: 'Ignore' });
    await ignoring.becomes('Successful');
    expect(await group.stateOf(old)).toBe('InService');

    const replacing = await refresh(target, group, { MinHealthyPercentage: 0, ScaleInProtectedInstances: 'Refresh' });
    await group.ends(old, minutes(15));
    await replacing.becomes('Successful');
  },
);
