import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Deployment } from '../src/local/deployment.ts';
import { deployedInputs } from '../src/local/observed-fleet.ts';

const machine = (InstanceType: string, VolumeSize: number) => ({
  Type: 'AWS::EC2::LaunchTemplate',
  Properties: { LaunchTemplateData: { InstanceType, BlockDeviceMappings: [{ Ebs: { VolumeSize } }] } },
});
const group = (AutoScalingGroupName: string, template: string, MaxSize: string) => ({
  Type: 'AWS::AutoScaling::AutoScalingGroup',
  Properties: {
    AutoScalingGroupName,
    MinSize: '1',
    MaxSize,
    LaunchTemplate: { LaunchTemplateId: { Ref: template } },
  },
});

it('what-if reads the fleet and its types from the template that was deployed, not the cluster beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-assembly-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const properties = { templateFile: 'all.template.json' };
  const stack = { type: 'aws:cloudformation:stack', environment: 'aws://210987654321/us-east-2', properties };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts: { all: stack } }));
  const Resources = {
    SearchGroup: group('logs', 'SearchTemplate', '3'),
    SearchTemplate: machine('m6i.large', 200),
    RunnerGroup: group('builders', 'RunnerTemplate', '20'),
    RunnerTemplate: machine('c6i.large', 60),
    LargeGroup: group('builders-large', 'LargeTemplate', '5'),
    LargeTemplate: machine('m6i.xlarge', 90),
    Pool: {
      Type: 'AWS::AutoScaling::WarmPool',
      Properties: { AutoScalingGroupName: { Ref: 'RunnerGroup' }, MinSize: 4, MaxGroupPreparedCapacity: 20 },
    },
  };
  writeFileSync(join(folder, 'all.template.json'), JSON.stringify({ Resources }));
  const fleet = {
    ...{ stack: 'all', groupName: 'builders', scalingMode: 'idle', idleTarget: 3, allowedDrainSeconds: 600 },
    idleTargetSchedules: [],
    types: [{ name: 'large', idleTarget: 0 }],
  } as unknown as Deployment['fleet'];
  expect(deployedInputs({ assembly: folder, fleet })).toEqual({
    scaling_mode: 'idle',
    asg_min_size: 1,
    asg_max_size: 20,
    idle_runners_target_count: 3,
    allowed_drain_time: 600,
    root_volume_size: 60,
    instance_type: 'c6i.large',
    warm_pool_max_size: 20,
    types: {
      large: {
        scaling_mode: 'idle',
        asg_min_size: 1,
        asg_max_size: 5,
        idle_runners_target_count: 0,
        allowed_drain_time: 600,
        root_volume_size: 90,
        instance_type: 'm6i.xlarge',
        warm_pool_max_size: 0,
      },
    },
  });
});
