import {
  type Activity,
  type AutoScalingClient,
  type AutoScalingGroup,
  CompleteLifecycleActionCommand,
  CreateAutoScalingGroupCommand,
  type CreateAutoScalingGroupType,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeInstanceRefreshesCommand,
  DescribeScalingActivitiesCommand,
  DescribeWarmPoolCommand,
  type Instance,
  type LifecycleHookSpecification,
  RecordLifecycleActionHeartbeatCommand,
} from '@aws-sdk/client-auto-scaling';
import {
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  type EC2Client,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import type { FaultRule } from '@drover/cloud-engine';
import { clients, World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';

export const minuteMs = 60_000;
export const hourMs = 3_600_000;

/** Where contract tests play: SDK clients, a launch template, and a way to let time pass. */
export class Stage {
  readonly clock = new VirtualClock();
  readonly world: World;
  readonly autoscaling: AutoScalingClient;
  readonly ec2: EC2Client;

  /** With `direct`, commands skip the wire: for very many of them. */
  constructor(seed: string | number = 1, options: { direct?: boolean } = {}) {
    this.world = new World({ clock: this.clock, seed });
    const sdk = clients(this.world, undefined, { fast: true, maxAttempts: 1 });
    const caller = { credentials: this.world.aws.iam.rootCredentials };
    const direct = (service: 'autoscaling' | 'ec2') => this.world.aws.directClient(service, caller) as unknown;
    this.autoscaling = options.direct ? (direct('autoscaling') as AutoScalingClient) : sdk.autoscaling;
    this.ec2 = options.direct ? (direct('ec2') as EC2Client) : sdk.ec2;
  }

  fault(rule: FaultRule): void {
    this.world.engine.faults.add(rule);
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** Lets time pass until something holds; fails when it does not within the limit. Asks only after something happened. */
  async until(what: string, holds: () => Promise<boolean>, limitMs = 30 * minuteMs): Promise<void> {
    const endMs = this.clock.now() + limitMs;
    const { journal } = this.world.engine;
    while (!(await holds())) {
      const mark = journal.length;
      const happened = await this.clock.runUntil(() => journal.length > mark, endMs - this.clock.now());
      if (!happened) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
    }
  }

  async template(data: RequestLaunchTemplateData = {}, name = 'template'): Promise<string> {
    const answer = await this.ec2.send(
      new CreateLaunchTemplateCommand({
        LaunchTemplateName: name,
        LaunchTemplateData: { ImageId: 'ami-0a10000000000a201', InstanceType: 't3a.medium', ...data },
      }),
    );
    return answer.LaunchTemplate!.LaunchTemplateId!;
  }

  /** A group of two to five instances in two zones, of a new launch template unless one is named. */
  async group(more: Partial<CreateAutoScalingGroupType> = {}, data: RequestLaunchTemplateData = {}): Promise<string> {
    const name = more.AutoScalingGroupName ?? 'group';
    if (more.LaunchTemplate === undefined && more.MixedInstancesPolicy === undefined)
      await this.template(data, `${name}-template`);
    await this.autoscaling.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName: name,
        ...(more.MixedInstancesPolicy === undefined
          ? { LaunchTemplate: { LaunchTemplateName: `${name}-template`, Version: '$Latest' } }
          : {}),
        MinSize: 0,
        MaxSize: 5,
        DesiredCapacity: 1,
        AvailabilityZones: ['eu-west-1a', 'eu-west-1b'],
        ...more,
      }),
    );
    return name;
  }

  async describe(name = 'group'): Promise<AutoScalingGroup> {
    const answer = await this.autoscaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }));
    return answer.AutoScalingGroups![0]!;
  }

  async instances(name = 'group'): Promise<Instance[]> {
    return (await this.describe(name)).Instances!;
  }

  /** The lifecycle states of the group, sorted. */
  async states(name = 'group'): Promise<string[]> {
    return (await this.instances(name)).map((instance) => instance.LifecycleState!).sort();
  }

  async pool(name = 'group'): Promise<Instance[]> {
    const answer = await this.autoscaling.send(new DescribeWarmPoolCommand({ AutoScalingGroupName: name }));
    return answer.Instances ?? [];
  }

  /** Undefined once the instance has left the group. */
  async stateOf(instanceId: string): Promise<string | undefined> {
    const command = new DescribeAutoScalingInstancesCommand({ InstanceIds: [instanceId] });
    return (await this.autoscaling.send(command)).AutoScalingInstances![0]?.LifecycleState;
  }

  /** The state of the EC2 instance itself. */
  async power(instanceId: string): Promise<string | undefined> {
    const answer = await this.ec2.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
    return answer.Reservations![0]!.Instances![0]!.State!.Name;
  }

  async untilStates(states: readonly string[], limitMs?: number, name = 'group'): Promise<void> {
    await this.until(`states ${states}`, async () => String(await this.states(name)) === String(states), limitMs);
  }

  async untilState(instanceId: string, state: string | undefined, limitMs?: number): Promise<void> {
    await this.until(`${instanceId} ${state}`, async () => (await this.stateOf(instanceId)) === state, limitMs);
  }

  /** The only instance of the group. */
  async only(name = 'group'): Promise<string> {
    const [instance, ...others] = await this.instances(name);
    if (instance === undefined || others.length > 0) throw new Error(`${others.length + 1} instances, not one`);
    return instance.InstanceId!;
  }

  async complete(hook: string, instanceId: string, result = 'CONTINUE', name = 'group'): Promise<void> {
    await this.autoscaling.send(
      new CompleteLifecycleActionCommand({
        AutoScalingGroupName: name,
        LifecycleHookName: hook,
        InstanceId: instanceId,
        LifecycleActionResult: result,
      }),
    );
  }

  async heartbeat(hook: string, instanceId: string, name = 'group'): Promise<void> {
    await this.autoscaling.send(
      new RecordLifecycleActionHeartbeatCommand({
        AutoScalingGroupName: name,
        LifecycleHookName: hook,
        InstanceId: instanceId,
      }),
    );
  }

  async activities(name = 'group'): Promise<Activity[]> {
    const answer = await this.autoscaling.send(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: name }));
    return answer.Activities!;
  }

  async refresh(name = 'group') {
    const answer = await this.autoscaling.send(new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name }));
    return answer.InstanceRefreshes![0]!;
  }
}

/** A hook as a group takes it at its creation. */
export const hook = (
  LifecycleHookName: string,
  transition: 'LAUNCHING' | 'TERMINATING',
  more: Partial<LifecycleHookSpecification> = {},
): LifecycleHookSpecification => ({
  LifecycleHookName,
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
  HeartbeatTimeout: 600,
  DefaultResult: 'ABANDON',
  ...more,
});
