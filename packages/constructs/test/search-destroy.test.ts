import { DeleteAutoScalingGroupCommand, UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { DeleteStackCommand, DescribeStacksCommand, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  DeleteObjectCommand,
  HeadBucketCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { groupNames } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import { SearchCluster } from '../src/index.ts';
import { DeployedWorld, stackName } from './deployed-cluster.test-support.ts';

const hourMs = 3_600_000;
const groups = Object.values(groupNames).map((name) => name('logs'));

/** A deployed cluster whose bucket holds objects: one of them in two versions, another one deleted. */
class DestroyedCluster extends DeployedWorld {
  bucket = '';

  async open(snapshotForceDestroy: boolean): Promise<this> {
    const size = { masterCount: 1, dataCount: 1, greenWithinMinutes: 0, snapshotForceDestroy };
    await this.deploy((stack, network) => {
      new SearchCluster(stack, 'Logs', { environment: 'test', ...network, clusterName: 'logs', ...size });
    });
    const { Stacks } = await this.sdk.cloudformation.send(new DescribeStacksCommand({ StackName: stackName }));
    const { Outputs = [] } = Stacks![0]!;
    this.bucket = Outputs.find(({ OutputKey }) => OutputKey === 'SnapshotsBucket')!.OutputValue!;
    for (const Key of ['index-0', 'index-0', 'snap-1.dat'])
      await this.drive(this.sdk.s3.send(new PutObjectCommand({ Bucket: this.bucket, Key, Body: Key })));
    await this.drive(this.sdk.s3.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: 'snap-1.dat' })));
    return this;
  }

  /** As docs/how-to/delete.md says: no instance is retained any more, then the groups are deleted by force. */
  async deleteGroups(): Promise<void> {
    const InstanceLifecyclePolicy = { RetentionTriggers: { TerminateHookAbandon: 'terminate' as const } };
    for (const AutoScalingGroupName of groups) {
      const update = { AutoScalingGroupName, InstanceLifecyclePolicy };
      await this.sdk.autoscaling.send(new UpdateAutoScalingGroupCommand(update));
      await this.forceDelete(AutoScalingGroupName);
    }
    await this.pass(hourMs / 4);
  }

  async forceDelete(AutoScalingGroupName: string): Promise<void> {
    await this.sdk.autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true }));
  }

  /** Deletes the stack and returns its status after two hours. */
  async deleteStack(): Promise<string> {
    await this.sdk.cloudformation.send(new DeleteStackCommand({ StackName: stackName }));
    await this.pass(2 * hourMs);
    const { StackSummaries = [] } = await this.sdk.cloudformation.send(new ListStacksCommand({}));
    return StackSummaries.find(({ StackName }) => StackName === stackName)!.StackStatus!;
  }

  async versions(): Promise<number> {
    const { Versions = [], DeleteMarkers = [] } = await this.drive(
      this.sdk.s3.send(new ListObjectVersionsCommand({ Bucket: this.bucket })),
    );
    return Versions.length + DeleteMarkers.length;
  }
}

describe('the stack of a search cluster that is deleted', () => {
  it('deleting the stack of a search cluster keeps the snapshot bucket by default', async () => {
    const world = await new DestroyedCluster().open(false);
    await world.deleteGroups();

    expect(await world.deleteStack()).toBe('DELETE_COMPLETE');

    expect(await world.versions()).toBe(4);
  }, 120_000);

  it('deleting the stack of a search cluster with snapshot_force_destroy empties and deletes the snapshot bucket', async () => {
    const world = await new DestroyedCluster().open(true);
    expect(await world.versions()).toBe(4);
    await world.deleteGroups();

    expect(await world.deleteStack()).toBe('DELETE_COMPLETE');

    await expect(world.drive(world.sdk.s3.send(new HeadBucketCommand({ Bucket: world.bucket })))).rejects.toThrow();
  }, 120_000);

  it('deleting the stack of a search cluster waits for its nodes until their groups are deleted', async () => {
    const world = await new DestroyedCluster().open(false);

    expect(await world.deleteStack()).toBe('DELETE_IN_PROGRESS');

    await world.deleteGroups();
    expect(await world.deleteStack()).toBe('DELETE_COMPLETE');
  }, 120_000);

  it('groups of a search cluster refuse a forced delete until their retention trigger is set to terminate', async () => {
    const world = await new DestroyedCluster().open(false);

    for (const group of groups)
      await expect(world.forceDelete(group)).rejects.toThrow('Change the retention trigger to terminate and try again');

    await world.deleteGroups();
    expect(await world.deleteStack()).toBe('DELETE_COMPLETE');
  }, 120_000);
});
