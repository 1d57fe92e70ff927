import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeLifecycleHooksCommand,
} from '@aws-sdk/client-auto-scaling';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { preload } from '@drover/cloud-aws';
import { clients, deployCloudAssembly, World } from '@drover/cloud-world';
import type { VirtualClock } from '@drover/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ReleasedExample, unpackRelease } from './release.ts';

const hourMs = 3_600_000;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A world with a network and a zone for the names in the examples. Machines do nothing but complete their launch hooks. */
async function worldOfExamples() {
  await preload();
  const world = new World();
  const { autoscaling } = clients(world);
  world.machines.onBoot(
    () => true,
    async ({ machine }) => {
      const AutoScalingGroupName = machine.instance.tags['aws:autoscaling:groupName'];
      const { LifecycleHooks = [] } = await autoscaling.send(
        new DescribeLifecycleHooksCommand({ AutoScalingGroupName }),
      );
      const done = { AutoScalingGroupName, InstanceId: machine.instance.id, LifecycleActionResult: 'CONTINUE' };
      for (const { LifecycleHookName, LifecycleTransition } of LifecycleHooks)
        if (LifecycleTransition === 'autoscaling:EC2_INSTANCE_LAUNCHING')
          await autoscaling.send(new CompleteLifecycleActionCommand({ ...done, LifecycleHookName }));
      return 0;
    },
  );
  const call = (service: 'ec2' | 'route53', operation: string, input: object) =>
    world.aws.call(service, operation, input, { credentials: world.rootCredentials });
  const { Subnets } = (await call('ec2', 'DescribeSubnets', {})) as { Subnets: { SubnetId: string; VpcId: string }[] };
  const zone = { Name: 'search.example.com', CallerReference: 'example' };
  const { HostedZone } = (await call('route53', 'CreateHostedZone', zone)) as { HostedZone: { Id: string } };
  const replacing = {
    'vpc-0a1b2c3d4e5f60718': Subnets[0]!.VpcId,
    ...Object.fromEntries(
      Subnets.slice(0, 3).map(({ SubnetId }, at) => [`subnet-0a1b2c3d4e5f6071${at + 1}`, SubnetId]),
    ),
    Z0123456789ABCDEFGHIJ: HostedZone.Id.replace('/hostedzone/', ''),
  };
  return { world, replacing };
}

/** Lets time pass until the work is done. */
async function drive(world: World, work: Promise<unknown>): Promise<void> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  await (world.engine.clock as VirtualClock).runUntil(() => ended, 12 * hourMs);
  await work;
}

describe('release 0.1.0', () => {
  it.each<[ReleasedExample, Record<string, number>]>([
    ['runner-fleet', { 'actions-runner-production': 3 }],
    ['search-cluster', { logs: 3, 'logs-data': 5 }],
  ])('release 0.1.0 of %s can be deployed to the embedded cloud from its fixture', async (example, sizes) => {
    const { world, replacing } = await worldOfExamples();
    const assembly = unpackRelease('0.1.0', example, temporaryFolder(), replacing);

    await drive(world, deployCloudAssembly(world, assembly));

    const { autoscaling, cloudformation } = clients(world);
    const { Stacks } = await cloudformation.send(new DescribeStacksCommand({}));
    expect(Stacks).toMatchObject([{ StackName: example, StackStatus: 'CREATE_COMPLETE' }]);
    const { AutoScalingGroups = [] } = await autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
    expect(
      Object.fromEntries(AutoScalingGroups.map((group) => [group.AutoScalingGroupName, group.DesiredCapacity])),
    ).toEqual(sizes);
  });

  it.each(['runner-fleet', 'search-cluster', 'local'] as const)(
    'the fixture of release 0.1.0 of %s is complete and names no machine',
    (example) => {
      const folder = unpackRelease('0.1.0', example, temporaryFolder());
      const name = example === 'local' ? 'drover-local' : example;
      const text = readFileSync(join(folder, `${name}.assets.json`), 'utf8');
      const { files } = JSON.parse(text) as { files: Record<string, { source: { path?: string } }> };
      const paths = Object.values(files).flatMap(({ source }) => source.path ?? []);

      expect(paths.length).toBeGreaterThan(2);
      expect(paths.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
      expect(text).not.toMatch(/"\//);
      expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).not.toContain('.metadata.json');
    },
  );
});
