import {
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  ResumeProcessesCommand,
  SetDesiredCapacityCommand,
  SetInstanceHealthCommand,
  SetInstanceProtectionCommand,
  SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { clients } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { hook, hourMs, minuteMs, Stage } from '../stage.test-support.ts';
import { GroupMetrics } from './metrics.ts';

const AutoScalingGroupName = 'group';
const dayMs = 24 * hourMs;

const serving = async (count: number, more: object = {}) => {
  const stage = new Stage();
  await stage.group({ DesiredCapacity: count, ...more });
  await stage.untilStates(Array(count).fill('InService'));
  return { stage, ids: (await stage.instances()).map((instance) => instance.InstanceId!) };
};

const setDesired = async (stage: Stage, DesiredCapacity: number) =>
  await stage.autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity }));

describe('groups', () => {
  it('spread their instances over the zones', async () => {
    const { stage } = await serving(4);
    const zones = (await stage.instances()).map((instance) => instance.AvailabilityZone).sort();
    expect(zones).toEqual(['eu-west-1a', 'eu-west-1a', 'eu-west-1b', 'eu-west-1b']);
  });

  it('groups are balanced again, new before old, when protection had made them uneven', async () => {
    for (const suspended of [false, true]) {
      const { stage } = await serving(4);
      const here = (await stage.instances()).filter((instance) => instance.AvailabilityZone === 'eu-west-1a');
      const InstanceIds = here.map((instance) => instance.InstanceId!);
      const protect = async (ProtectedFromScaleIn: boolean) =>
        await stage.autoscaling.send(
          new SetInstanceProtectionCommand({ AutoScalingGroupName, InstanceIds, ProtectedFromScaleIn }),
        );
      const ScalingProcesses = suspended ? ['AZRebalance'] : ['ScheduledActions'];
      await stage.autoscaling.send(new SuspendProcessesCommand({ AutoScalingGroupName, ScalingProcesses }));
      await protect(true);
      await setDesired(stage, 2);
      await stage.untilStates(['InService', 'InService']);
      await stage.pass(hourMs);
      expect((await stage.instances()).map((i) => i.InstanceId).sort()).toEqual([...InstanceIds].sort());

      await protect(false);
      await stage.pass(hourMs);
      const zones = (await stage.instances()).map((instance) => instance.AvailabilityZone).sort();
      expect(zones).toEqual(suspended ? ['eu-west-1a', 'eu-west-1a'] : ['eu-west-1a', 'eu-west-1b']);
    }
  });

  it('groups whose instances are all protected launch one for balance and end none: they stay larger than desired', async () => {
    for (const suspended of [false, true]) {
      const { stage } = await serving(4, { NewInstancesProtectedFromScaleIn: true });
      const ScalingProcesses = suspended ? ['AZRebalance'] : ['ScheduledActions'];
      await stage.autoscaling.send(new SuspendProcessesCommand({ AutoScalingGroupName, ScalingProcesses }));
      const here = (await stage.instances()).filter(({ AvailabilityZone }) => AvailabilityZone === 'eu-west-1b');
      for (const { InstanceId } of here)
        await stage.autoscaling.send(
          new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity: true }),
        );
      await stage.pass(hourMs);

      expect(await stage.states()).toEqual(Array(suspended ? 2 : 3).fill('InService'));
    }
  });

  it('refuse what AWS refuses, in its words', async () => {
    const stage = new Stage();
    await stage.group();
    const create = (more: object) =>
      stage.autoscaling.send(
        new CreateAutoScalingGroupCommand({
          AutoScalingGroupName: 'other',
          LaunchTemplate: { LaunchTemplateName: 'group-template' },
          MinSize: 1,
          MaxSize: 2,
          AvailabilityZones: ['eu-west-1a'],
          ...more,
        }),
      );
    await expect(create({ AutoScalingGroupName })).rejects.toMatchObject({ name: 'AlreadyExistsFault' });
    await expect(create({ MinSize: 3 })).rejects.toThrow('must be greater than or equal to min bound, 3');
    await expect(create({ DesiredCapacity: 3 })).rejects.toThrow(
      'Desired capacity:3 must be between the specified min size:1 and max size:2',
    );
    await expect(create({ AvailabilityZones: [] })).rejects.toThrow('At least one Availability Zone or VPC Subnet');
    await expect(create({ LaunchTemplate: { LaunchTemplateName: 'none' } })).rejects.toThrow(
      'You must use a valid fully-formed launch template. The specified launch template, with template name none, does not exist.',
    );
    await expect(create({ TargetGroupARNs: ['none'] })).rejects.toThrow('Provided Target Groups may not be valid');
    await expect(create({ LaunchTemplate: undefined })).rejects.toThrow('Valid requests must contain either');
    await expect(create({ MaxInstanceLifetime: 3600 })).rejects.toThrow('MaxInstanceLifetime');
    await expect(create({ PlacementGroup: 'p' })).rejects.toThrow('does not model the parameter PlacementGroup');
    await expect(setDesired(stage, 6)).rejects.toThrow(
      'New SetDesiredCapacity value 6 is above max value 5 for the AutoScalingGroup.',
    );
  });

  it('move the desired capacity into new bounds', async () => {
    const { stage } = await serving(2);
    const update = async (MinSize: number, MaxSize: number) =>
      await stage.autoscaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, MinSize, MaxSize }));

    await update(3, 5);
    expect((await stage.describe()).DesiredCapacity).toBe(3);
    await update(0, 1);
    expect((await stage.describe()).DesiredCapacity).toBe(1);
    await stage.untilStates(['InService']);
  });

  it('groups are found by name and tag, in pages', async () => {
    const stage = new Stage();
    for (const name of ['one', 'two', 'three'])
      await stage.group({ AutoScalingGroupName: name, DesiredCapacity: 0, Tags: [{ Key: 'name', Value: name }] });

    const names = async (request: object) =>
      (await stage.autoscaling.send(new DescribeAutoScalingGroupsCommand(request))).AutoScalingGroups!.map(
        (group) => group.AutoScalingGroupName,
      );
    expect(await names({ AutoScalingGroupNames: ['two', 'unknown'] })).toEqual(['two']);
    expect(await names({ Filters: [{ Name: 'tag:name', Values: ['one', 'three'] }] })).toEqual(['one', 'three']);
    const page = await stage.autoscaling.send(new DescribeAutoScalingGroupsCommand({ MaxRecords: 2 }));
    expect(page.AutoScalingGroups).toHaveLength(2);
    expect(await names({ NextToken: page.NextToken })).toEqual(['three']);
  });

  it('groups with instances are deleted only by force, which asks no hook', async () => {
    const { stage, ids } = await serving(1, { LifecycleHookSpecificationList: [hook('drain', 'TERMINATING')] });
    const remove = (ForceDelete: boolean) =>
      stage.autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete }));

    await expect(remove(false)).rejects.toMatchObject({ name: 'ResourceInUseFault' });
    await remove(true);
    expect((await stage.describe()).Status).toBe('Delete in progress');
    await stage.pass(5 * minuteMs);
    expect(await stage.power(ids[0]!)).toBe('terminated');
    const answer = await stage.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
    expect(answer.AutoScalingGroups).toEqual([]);
  });

  it('groups that retain instances on ABANDON refuse a forced delete until the retention trigger is terminate', async () => {
    const policy = (TerminateHookAbandon: 'retain' | 'terminate') => ({
      InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon } },
    });
    const hooks = { LifecycleHookSpecificationList: [hook('drain', 'TERMINATING')] };
    const { stage, ids } = await serving(1, { ...hooks, ...policy('retain') });
    const remove = () =>
      stage.autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true }));

    await expect(remove()).rejects.toThrow(
      "You can't force delete this Auto Scaling group because the TerminateHookAbandon retention trigger is set to retain. Change the retention trigger to terminate and try again",
    );
    expect(await stage.power(ids[0]!)).toBe('running');
    expect((await stage.describe()).Status).toBeUndefined();

    await stage.autoscaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, ...policy('terminate') }));
    await remove();
    await stage.pass(5 * minuteMs);
    expect(await stage.power(ids[0]!)).toBe('terminated');
  });
});

describe('termination through the group', () => {
  it('replaces the instance unless the desired capacity shrinks, which the minimum may forbid', async () => {
    const { stage, ids } = await serving(2, { MinSize: 1 });
    const terminate = (InstanceId: string, ShouldDecrementDesiredCapacity: boolean) =>
      stage.autoscaling.send(
        new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity }),
      );

    const { Activity } = await terminate(ids[0]!, true);
    expect(Activity?.Cause).toContain('in response to a user request, shrinking the capacity from 2 to 1.');
    await stage.untilStates(['InService']);
    await expect(terminate(ids[1]!, true)).rejects.toThrow("will violate group's min size constraint");
    await terminate(ids[1]!, false);
    await stage.untilState(ids[1]!, undefined);
    await stage.untilStates(['InService']);
    await expect(terminate('i-0123456789abcdef0', true)).rejects.toThrow('No managed instance found');
  });
});

describe('health', () => {
  it('an instance that was terminated or stopped outside the group is replaced, through its hooks', async () => {
    for (const act of ['terminate', 'stop'] as const) {
      const { stage, ids } = await serving(1, { LifecycleHookSpecificationList: [hook('drain', 'TERMINATING')] });
      if (act === 'stop') stage.world.aws.ec2.stop(ids[0]!, { hibernate: false });
      else await stage.ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));

      await stage.untilState(ids[0]!, 'Terminating:Wait');
      await stage.complete('drain', ids[0]!);
      await stage.untilState(ids[0]!, undefined);
      await stage.untilStates(['InService']);
      const causes = (await stage.activities()).map((activity) => activity.Cause!);
      expect(
        causes.some((cause) => cause.includes('EC2 health check indicating it has been terminated or stopped')),
      ).toBe(true);
    }
  });

  it('failed status checks count after the grace period, and the instance is replaced', async () => {
    const { stage, ids } = await serving(1, { HealthCheckGracePeriod: 1200 });
    stage.world.aws.ec2.setImpaired(ids[0]!, true);

    await stage.pass(15 * minuteMs);
    expect(await stage.stateOf(ids[0]!)).toBe('InService');
    await stage.untilState(ids[0]!, undefined);
    await stage.untilStates(['InService']);
  });

  it('a custom health check respects the grace period unless configured not to', async () => {
    const { stage, ids } = await serving(1, { HealthCheckGracePeriod: 600 });
    const health = { InstanceId: ids[0]!, HealthStatus: 'Unhealthy' };

    await stage.autoscaling.send(new SetInstanceHealthCommand(health));
    await stage.pass(5 * minuteMs);
    expect(await stage.stateOf(ids[0]!)).toBe('InService');
    await stage.autoscaling.send(new SetInstanceHealthCommand({ ...health, ShouldRespectGracePeriod: false }));
    await stage.untilState(ids[0]!, undefined);
  });

  it("a load balancer's verdict counts only in groups that ask for it", async () => {
    for (const [HealthCheckType, replaced] of [
      ['EC2', false],
      ['ELB', true],
    ] as const) {
      const { stage, ids } = await serving(1, { HealthCheckType, HealthCheckGracePeriod: 60 });
      stage.world.aws.autoscaling.reportTargetHealth(ids[0]!, false);
      await stage.pass(10 * minuteMs);
      expect((await stage.stateOf(ids[0]!)) === undefined).toBe(replaced);
    }
  });

  it('an instance that dies while it launches fails its launch', async () => {
    const stage = new Stage();
    await stage.group({ LifecycleHookSpecificationList: [hook('launch', 'LAUNCHING', { HeartbeatTimeout: 7200 })] });
    await stage.untilStates(['Pending:Wait']);
    const instance = await stage.only();
    await stage.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instance] }));

    await stage.untilState(instance, undefined);
    const activities = await stage.activities();
    const launch = activities.find((activity) =>
      activity.Description?.startsWith(`Launching a new EC2 instance: ${instance}`),
    );
    expect(launch).toMatchObject({ StatusCode: 'Cancelled' });
    expect(launch?.StatusMessage).toContain('became unhealthy while waiting for instance to be in InService state');
  });

  it('a maintenance policy of 100 % has the replacement serve before the unhealthy instance goes', async () => {
    const policy = { MinHealthyPercentage: 100, MaxHealthyPercentage: 150 };
    const { stage, ids } = await serving(2, { InstanceMaintenancePolicy: policy, MaxSize: 2 });
    await stage.autoscaling.send(new SetInstanceHealthCommand({ InstanceId: ids[0]!, HealthStatus: 'Unhealthy' }));

    let fewest = 2;
    await stage.until('it is replaced', async () => {
      const states = await stage.states();
      fewest = Math.min(fewest, states.filter((state) => state === 'InService').length);
      return (await stage.stateOf(ids[0]!)) === undefined;
    });
    expect(fewest).toBe(2);
  });

  it('unhealthy instances take no room under the maximum of a maintenance policy', async () => {
    const policy = { MinHealthyPercentage: 100, MaxHealthyPercentage: 120 };
    const { stage, ids } = await serving(5, { InstanceMaintenancePolicy: policy, MaxSize: 6 });
    for (const InstanceId of ids.slice(0, 2))
      await stage.autoscaling.send(new SetInstanceHealthCommand({ InstanceId, HealthStatus: 'Unhealthy' }));

    for (const id of ids.slice(0, 2)) await stage.untilState(id, undefined);
    for (const id of ids.slice(2)) expect(await stage.stateOf(id)).toBe('InService');
  });
});

describe('processes', () => {
  const processes = (...ScalingProcesses: string[]) => ({ AutoScalingGroupName, ScalingProcesses });

  const resume = ({ autoscaling }: Stage, ...names: readonly string[]) =>
    autoscaling.send(new ResumeProcessesCommand(processes(...names)));

  it('suspended Launch and Terminate hold what they would do until they are resumed', async () => {
    const { stage } = await serving(2);
    await stage.autoscaling.send(new SuspendProcessesCommand(processes('Launch', 'Terminate')));

    await setDesired(stage, 1);
    await stage.pass(10 * minuteMs);
    expect(await stage.states()).toEqual(['InService', 'InService']);
    await resume(stage, 'Terminate');
    await stage.untilStates(['InService']);
    await setDesired(stage, 3);
    await stage.pass(10 * minuteMs);
    expect(await stage.states()).toEqual(['InService']);
    expect((await stage.describe()).SuspendedProcesses).toMatchObject([{ ProcessName: 'Launch' }]);
    await resume(stage, 'Launch');
    await stage.untilStates(Array(3).fill('InService'));
  });

  it('suspended ReplaceUnhealthy keeps an unhealthy instance, suspended HealthCheck does not even notice', async () => {
    for (const [name, health] of [
      ['ReplaceUnhealthy', 'Unhealthy'],
      ['HealthCheck', 'Healthy'],
    ] as const) {
      const { stage, ids } = await serving(1);
      await stage.autoscaling.send(new SuspendProcessesCommand(processes(name)));
      await stage.ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
      await stage.pass(10 * minuteMs);
      expect(await stage.instances()).toMatchObject([{ InstanceId: ids[0], HealthStatus: health }]);
      await resume(stage, name);
      await stage.untilState(ids[0]!, undefined);
    }
  });

  it('an unknown name is refused', async () => {
    const { stage } = await serving(0);
    await expect(stage.autoscaling.send(new SuspendProcessesCommand(processes('Nap')))).rejects.toThrow(
      'Nap is not valid',
    );
  });
});

describe('time', () => {
  it('instances older than the maximum lifetime are replaced one after the other', async () => {
    const { stage, ids } = await serving(3, { MaxInstanceLifetime: 86_400 });
    await stage.pass(dayMs - hourMs);
    expect((await stage.instances()).map((instance) => instance.InstanceId).sort()).toEqual([...ids].sort());

    let fewest = 3;
    await stage.until(
      'all are new',
      async () => {
        const instances = await stage.instances();
        fewest = Math.min(fewest, instances.filter((instance) => instance.LifecycleState === 'InService').length);
        return !instances.some((instance) => ids.includes(instance.InstanceId!));
      },
      2 * hourMs,
    );
    expect(fewest).toBe(2);
  });

  it('group metrics are sent every minute once enabled', async () => {
    const { stage } = await serving(2);
    const { scaler } = stage.world.aws.autoscaling;
    const enable = (names?: readonly string[]) =>
      new GroupMetrics(scaler).enable(scaler.group(AutoScalingGroupName), names, '1Minute');
    enable();
    expect((await stage.describe()).EnabledMetrics).toHaveLength(25);
    await stage.pass(3 * minuteMs);
    const { cloudwatch } = clients(stage.world);
    const { Datapoints } = await cloudwatch.send(
      new GetMetricStatisticsCommand({
        Namespace: 'AWS/AutoScaling',
        MetricName: 'GroupInServiceInstances',
        Dimensions: [{ Name: 'AutoScalingGroupName', Value: AutoScalingGroupName }],
        StartTime: new Date(stage.clock.now() - hourMs),
        EndTime: new Date(stage.clock.now()),
        Period: 60,
        Statistics: ['Average'],
      }),
    );
    expect(Datapoints?.map((datapoint) => datapoint.Average)).toEqual([2, 2, 2]);

    expect(() => enable(['GroupMood'])).toThrow('GroupMood');
  });
});
