import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { serveAws } from '@drover/cloud-aws';
import { deployCloudAssembly } from '@drover/cloud-world';
import type { VirtualClock } from '@drover/core';
import { App, Stack } from 'aws-cdk-lib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { outsideClients } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { SearchCluster } from '../../src/index.ts';
import { DeployedWorld, ownNetwork } from '../deployed-cluster.test-support.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** Simulated seconds in a second: an hour of credentials lasts for the test. */
const speed = 40;

/** Only releases that know the option; none of these asks AWS anything. */
const probe = [
  'autoscaling',
  'update-auto-scaling-group',
  ...['--auto-scaling-group-name', 'group', '--generate-cli-skeleton', 'output', '--region', 'eu-west-1'],
  ...['--instance-lifecycle-policy', 'RetentionTriggers={TerminateHookAbandon=terminate}'],
];
const [aws] = outsideClients('aws', 'an AWS CLI from December 2025 or later', { probe });

/** The commands of docs/how-to/delete.md. The prompt of `cdk destroy` is confirmed beforehand. */
function recipe(): string {
  const page = readFileSync(join(root, 'docs/how-to/delete.md'), 'utf8');
  const block = /^The same by hand[\s\S]*?^```sh\n([\s\S]*?)^```/m.exec(page)![1]!;
  expect(block).toMatch(/^npx cdk destroy$/m);
  return block.replace(/^npx cdk destroy$/m, 'npx cdk destroy --force');
}

describe.skipIf(aws!.missing)(`the recipe for deleting a search cluster ${aws!.reason}`.trim(), () => {
  it('deletes groups, instances and stack of a cluster in service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-destroy-'));
    const deployed = new DeployedWorld();
    const assembly = join(folder, 'cdk.out');
    const app = new App({ outdir: assembly });
    const stack = new Stack(app, 'search-cluster');
    const size = { masterCount: 1, dataCount: 1, greenWithinMinutes: 0 };
    new SearchCluster(stack, 'Logs', { environment: 'test', ...ownNetwork(stack), clusterName: 'logs', ...size });
    app.synth();
    await deployed.drive(deployCloudAssembly(deployed.world, assembly));
    await deployed.pass(1_800_000);
    const groups = async () =>
      (await deployed.sdk.autoscaling.send(new DescribeAutoScalingGroupsCommand({}))).AutoScalingGroups!;
    expect((await groups()).flatMap(({ Instances }) => Instances!.map((each) => each.LifecycleState))).toEqual([
      'InService',
      'InService',
    ]);

    const served = await serveAws(deployed.world);
    const clock = deployed.world.engine.clock as VirtualClock;
    const timer = setInterval(() => void clock.advance(speed * 100), 100);
    onTestFinished(async () => {
      clearInterval(timer);
      await served.close();
      rmSync(folder, { recursive: true });
    });
    const ran = await run(folder, served.url);

    expect(ran.code, `${ran.stdout}\n${ran.stderr}`).toBe(0);
    expect(await groups()).toEqual([]);
    const { StackSummaries = [] } = await deployed.sdk.cloudformation.send(new ListStacksCommand({}));
    const { StackStatus } = StackSummaries.find(({ StackName }) => StackName === 'search-cluster')!;
    expect(StackStatus).toBe('DELETE_COMPLETE');
    for (const { state } of deployed.world.observe.instances()) expect(state).toBe('terminated');
  }, 300_000);
});

/** Runs the recipe in the folder of an app, as an operator does. */
function run(folder: string, endpoint: string): Promise<{ code: number; stdout: string; stderr: string }> {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ app: 'cdk.out' }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const command = `#!/bin/sh\nexec '${aws!.path}' --endpoint-url '${endpoint}' "$@"\n`;
  writeFileSync(join(bin, 'aws'), command, { mode: 0o755 });
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'eu-west-1',
    AWS_DEFAULT_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL: endpoint,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CI: 'true',
  };
  return new Promise((resolve) => {
    execFile('/bin/bash', ['-euo', 'pipefail', '-c', recipe()], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
    );
  });
}
