import { ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { ClusterStage } from '@drover/stage/testing';
import { expect, it } from 'vitest';
import { droverOnCluster } from './operator.test-support.ts';

it('drover cluster destroy takes a last snapshot, ends the nodes without a drain and deletes the stack, with --yes only', async () => {
  const stage = await ClusterStage.open({ masterCount: 1, dataCount: 2 });
  const status = async () => {
    const { StackSummaries = [] } = await stage.drive(stage.aws.cloudformation.send(new ListStacksCommand({})));
    return StackSummaries.find(({ StackName }) => StackName === 'search-cluster')?.StackStatus;
  };
  const destroy = (...more: string[]) => droverOnCluster(stage, 'cluster', 'destroy', ...more);

  const asked = await destroy();
  expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
  expect(asked.stdout).toMatch(/^This would happen with --yes:\n1\. take a last snapshot/);
  expect(asked.stdout).toContain('To do it: drover cluster destroy --stack search-cluster --yes\n');
  expect(asked.stdout).toContain('delete the group logs-data with 2 instances, without draining them');
  expect(stage.deployed.inService()).toHaveLength(3);

  const began = stage.clock.now();
  const done = await destroy('--yes');
  expect(done.stderr).toBe('');
  expect(done.stdout).toMatch(
    /^snapshot logs-\S+ succeeded\n(logs\S*: its instances are terminated\n){2}search-cluster: deleted\n$/,
  );
  expect(done.exitCode).toBe(0);
  expect(await status()).toBe('DELETE_COMPLETE');
  expect(stage.clock.now() - began).toBeLessThan(60 * 60_000);
}, 120_000);
