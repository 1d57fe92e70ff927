import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Aws } from '@drover/cloud-aws';
import { assetBucket } from '@drover/cloud-aws';
import { TerminalError } from '@drover/core';
import type { World } from '../world.ts';
import { publishAssets } from './assets.ts';
import { type DeployedStack, deployStack } from './deploy-stack.ts';
import { type AssemblyStack, readAssembly, selectStacks } from './manifest.ts';

export type { DeployedStack } from './deploy-stack.ts';

export interface DeployCloudAssemblyOptions {
  /** Only this stack (by its name or its artifact id) and what it needs. @default all stacks */
  readonly stackName?: string;
  /** Template parameters by name, or by `<stack name>:<name>`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * Runs the commands that make assets (cloud assembly schema, FileSource.executable) and publishes what they bring. Without it such
   * an asset is a stand-in without its content. @default false
   */
  readonly assetCommands?: boolean;
}

/**
 * Deploys what `cdk synth` wrote: uploads the assets, then creates or updates the stacks one after the other. Resolves when
 * all have come to rest, so on a virtual clock the caller must advance time meanwhile. A stack that fails ends the deployment
 * with its failure events in the message.
 */
export async function deployCloudAssembly(
  world: Pick<World, 'aws'>,
  directory: string,
  options: DeployCloudAssemblyOptions = {},
): Promise<DeployedStack[]> {
  const { aws } = world;
  const stacks = selectStacks(readAssembly(resolve(directory)), options.stackName);
  refuseOtherEnvironments(aws, stacks);
  const deployed: DeployedStack[] = [];
  for (const stack of stacks) {
    for (const manifest of stack.assetManifests)
      publishAssets(manifest, aws.s3, (text) => fill(aws, text), options.assetCommands ?? false);
    const url = publishTemplate(aws, stack);
    deployed.push(await deployStack(aws, stack, url, options.parameters ?? {}));
  }
  return deployed;
}

/** The region of a world is the only one it has. */
function refuseOtherEnvironments(aws: Aws, stacks: readonly AssemblyStack[]): void {
  for (const { stackName, environment } of stacks) {
    const [account, region] = environment.replace('aws://', '').split('/');
    const fits =
      [`${aws.accountId}`, 'unknown-account'].includes(account!) && [aws.region, 'unknown-region'].includes(region!);
    if (!fits)
      throw new TerminalError(
        `stack ${stackName} is for ${environment}; this world is aws://${aws.accountId}/${aws.region}`,
        {
          remedy: 'synthesise without an environment, or make the world with that accountId and region',
        },
      );
  }
}

const fill = (aws: Aws, text: string): string => {
  const values: Readonly<Record<string, string>> = { AccountId: aws.accountId, Region: aws.region, Partition: 'aws' };
  return text.replace(/\$\{AWS::(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
};

/** Templates are too long for a request as a rule, so they go to the bootstrap bucket like assets. */
function publishTemplate(aws: Aws, stack: AssemblyStack): string {
  const bucket = assetBucket(aws);
  const key = `templates/${stack.stackName}.template.json`;
  aws.s3.createBucket(bucket);
  aws.s3.putObject(bucket, key, readFileSync(stack.templateFile));
  return `https://${bucket}.s3.${aws.region}.amazonaws.com/${key}`;
}
