import { RunnerFleet, SearchCluster, SearchUi } from '@drover/constructs';
import type { DroverIo } from '@drover/operator/io';
import type { Stack } from 'aws-cdk-lib';
import { configuredConstruct } from './configured-construct.ts';
import { writePlainTemplate } from './plain-template.ts';

export interface SynthOptions {
  readonly out: string;
  readonly stackName?: string;
  readonly printExample?: 'fleet' | 'cluster';
}

const constructs = {
  'runner-fleet': { id: 'RunnerFleet', Construct: RunnerFleet },
  'search-cluster': { id: 'SearchCluster', Construct: SearchCluster },
  'search-ui': { id: 'SearchUi', Construct: SearchUi },
} as const;

/** `drover synth FILE`: the CloudFormation template of a configuration file, for those without an app of their own. */
export async function synth(io: DroverIo, file: string, { out, stackName }: SynthOptions): Promise<number> {
  const construct = configuredConstruct(file);
  const name = stackName ?? construct;
  const template = writePlainTemplate(out, name, (stack) => add(stack, constructs[construct], file), io);
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
