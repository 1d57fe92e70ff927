import { RunnerFleet, SearchCluster, SearchUi } from '@drover/constructs';
import { readMap } from '@drover/constructs/inputs/read-map';
import { TerminalError } from '@drover/core';
import type { DroverIo } from '@drover/operator/io';
import type { Stack } from 'aws-cdk-lib';
import { writePlainTemplate } from './plain-template.ts';

export interface SynthOptions {
  readonly out: string;
  readonly stackName?: string;
}

const runnerFleet = { name: 'runner-fleet', id: 'RunnerFleet', Construct: RunnerFleet } as const;
/** The constructs by an input that only they have; a fleet has one of the three levels. */
const constructs = {
  platform_org: runnerFleet,
  platform_repository: runnerFleet,
  platform_enterprise: runnerFleet,
  cluster_name: { name: 'search-cluster', id: 'SearchCluster', Construct: SearchCluster },
  elasticsearch_url: { name: 'search-ui', id: 'SearchUi', Construct: SearchUi },
} as const;

/** `drover synth FILE`: the CloudFormation template of a configuration file, for those without an app of their own. */
export async function synth(io: DroverIo, file: string, { out, stackName }: SynthOptions): Promise<number> {
  const map = readMap(file);
  if ('problem' in map) throw new TerminalError(`${file}: ${map.problem}. ${map.remedy}`);
  const found = Object.entries(constructs).find(([key]) => Object.hasOwn(map.inputs, key))?.[1];
  if (found === undefined)
    throw new TerminalError(`${file} configures neither a runner fleet, nor a search cluster, nor its web UI`, {
      remedy: `give one of ${Object.keys(constructs).join(', ')}: docs/CONFIGURATION.md lists the inputs`,
    });
  const name = stackName ?? found.name;
  const template = writePlainTemplate(out, name, (stack) => add(stack, found, file));
  io.stdout(`${template}\n`);
  io.stderr(`Upload the assets to a bucket of yours in the region, then deploy:

  aws s3 cp --recursive ${out}/assets s3://BUCKET/
  aws cloudformation deploy --stack-name ${name} --template-file ${template} --s3-bucket BUCKET \\
    --parameter-overrides AssetBucket=BUCKET --capabilities CAPABILITY_NAMED_IAM
`);
  return 0;
}

function add(stack: Stack, { id, Construct }: (typeof constructs)[keyof typeof constructs], file: string): void {
  // Each reads its own file, so the props are its own too.
  new Construct(stack, id, Construct.readConfiguration(file) as never);
}
