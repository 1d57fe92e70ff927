import {
  CompleteLifecycleActionCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { clients, World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { measureWire } from './embedded-cloud-wire.ts';
import { atLeast, type Figures, informative } from './figures.ts';

const dayMs = 24 * 3_600_000;
const launchesPerDay = 2_000;
const instances = 100;

export async function benchEmbeddedCloud(): Promise<Figures> {
  const wire = await measureWire();
  const day = await simulateDay();
  return {
    'embedded-cloud.calls_in_process': informative(wire.inProcess, 'calls/s'),
    'embedded-cloud.calls_in_process_fast': informative(wire.inProcessFast, 'calls/s'),
    'embedded-cloud.calls_http': informative(wire.http, 'calls/s'),
    'embedded-cloud.launches': atLeast(day.launches, launchesPerDay, 'launches'),
    'embedded-cloud.speedup': atLeast(day.speedup, 2_000, 'x real time'),
  };
}

/** One day of a group of 100 whose members are replaced 2,000 times, each through both hooks and a function. */
async function simulateDay(): Promise<{ launches: number; speedup: number }> {
  const clock = new VirtualClock();
  const world = new World({ clock, seed: 1, journalLimit: 10_000 });
  completeHooksBy(world);
  let launches = 0;
  world.engine.journal.subscribe(({ source, name }) => {
    if (source === 'aws.autoscaling' && name.endsWith('-> InService')) launches += 1;
  });
  const aws = clients(world, world.rootCredentials, { fast: true });
  await aws.cloudformation.send(
    new CreateStackCommand({
      StackName: 'bench',
      TemplateBody: JSON.stringify(template(world)),
      Capabilities: ['CAPABILITY_IAM'],
    }),
  );
  if (!(await clock.runUntil(() => launches >= instances, 3_600_000)))
    throw new Error(`only ${launches} instances came into service`);

  launches = 0;
  const startedAt = performance.now();
  const random = world.engine.random.fork('bench');
  const everyMs = dayMs / (launchesPerDay + 50);
  const terminateOne = async () => {
    const running = world.observe.instances().filter(({ state }) => state === 'running');
    const { id } = random.pick(running);
    await aws.autoscaling
      .send(new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: id, ShouldDecrementDesiredCapacity: false }))
      .catch(() => {});
  };
  for (let at = everyMs; at < dayMs; at += everyMs) clock.after(at, () => void terminateOne());
  await clock.advance(dayMs);
  return { launches, speedup: dayMs / (performance.now() - startedAt) };
}

/** The function of the template, as plain code: completes the hook that its event is about. */
function completeHooksBy(world: World): void {
  world.operate.injectFunction(
    (name) => name === 'hooks',
    (environment) => {
      const client = world.aws.directClient('autoscaling', environment.caller);
      return async (event) => {
        const { detail } = event as { detail: Record<string, string> };
        await client.send(
          new CompleteLifecycleActionCommand({
            AutoScalingGroupName: detail.AutoScalingGroupName,
            LifecycleHookName: detail.LifecycleHookName,
            InstanceId: detail.EC2InstanceId,
            LifecycleActionResult: 'CONTINUE',
          }),
        );
      };
    },
  );
}

const hook = (name: string, transition: string) => ({
  LifecycleHookName: name,
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
  HeartbeatTimeout: 300,
  DefaultResult: 'ABANDON',
});

const template = (world: World) => ({
  Resources: {
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
        Policies: [
          {
            PolicyName: 'hooks',
            PolicyDocument: {
              Version: '2012-10-17',
              Statement: [
                { Effect: 'Allow', Action: ['autoscaling:CompleteLifecycleAction', 'logs:*'], Resource: '*' },
              ],
            },
          },
        ],
      },
    },
    Hooks: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: 'hooks',
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Timeout: 60,
        Code: { ZipFile: 'exports.handler = async () => {};' },
      },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: {
          source: ['aws.autoscaling'],
          'detail-type': ['EC2 Instance-launch Lifecycle Action', 'EC2 Instance-terminate Lifecycle Action'],
        },
        Targets: [{ Id: 'hooks', Arn: { 'Fn::GetAtt': ['Hooks', 'Arn'] } }],
      },
    },
    Permission: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        FunctionName: { Ref: 'Hooks' },
        Action: 'lambda:InvokeFunction',
        Principal: 'events.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': ['Rule', 'Arn'] },
      },
    },
    Template: {
      Type: 'AWS::EC2::LaunchTemplate',
      Properties: { LaunchTemplateData: { ImageId: 'ami-0a10000000000c241', InstanceType: 't3a.medium' } },
    },
    Group: {
      Type: 'AWS::AutoScaling::AutoScalingGroup',
      DependsOn: ['Permission'],
      Properties: {
        AutoScalingGroupName: 'bench',
        MinSize: String(instances),
        MaxSize: String(instances),
        AvailabilityZones: world.aws.zones,
        LaunchTemplate: {
          LaunchTemplateId: { Ref: 'Template' },
          Version: { 'Fn::GetAtt': ['Template', 'LatestVersionNumber'] },
        },
        LifecycleHookSpecificationList: [hook('launch', 'LAUNCHING'), hook('terminate', 'TERMINATING')],
      },
    },
  },
});
