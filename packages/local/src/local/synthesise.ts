import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScalingMode } from '@drover/core/names/runner-fleet';
import type { LocalStackProps } from '@drover/example-local';
import { type Deployment, readDeployment } from './deployment.ts';

/** Name of the stack that holds everything. */
const stackName = 'drover-local';

/** Choices for the example when it is started. */
export interface ExampleChoices {
  /** The address of GitHub's API. */
  readonly platformApi: string;
  /** On-demand instances below the spot ones; undefined: no spot instance, but a warm pool. */
  readonly onDemandBaseCapacity: number | undefined;
  /** @default idle */
  readonly scalingMode?: ScalingMode;
  /** The types large and arm beside the default one, in jobs mode. @default false */
  readonly types?: boolean;
  /** Fleet and cluster of the user's own. */
  readonly own?: OwnInputs;
}

/** Inputs from the user's own files, instead of the example's. */
export type OwnInputs = Pick<LocalStackProps, 'fleet' | 'cluster'>;

/** Inputs of the fleet that can be changed while it runs. */
export type ChangedInputs = NonNullable<LocalStackProps['changed']>;

/** Synthesises `examples/local` as `cdk synth` does. */
export async function synthesise(choices: ExampleChoices, changed: ChangedInputs = {}): Promise<Deployment> {
  // The template is validated by the tests; here it would cost half a minute.
  process.env.CDK_VALIDATION ??= 'false';
  const [{ App }, { LocalStack }] = await Promise.all([import('aws-cdk-lib'), import('@drover/example-local')]);
  const outdir = mkdtempSync(join(tmpdir(), 'drover-local-'));
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({ outdir });
  const { platformApi, onDemandBaseCapacity, scalingMode = 'idle', types = false, own = {} } = choices;
  new LocalStack(app, stackName, {
    platformApi,
    scalingMode,
    types,
    ...own,
    changed,
    ...(onDemandBaseCapacity === undefined ? {} : { onDemandBaseCapacity }),
  });
  return readDeployment(app.synth().directory);
}

/** Reads the files that `--fleet` and `--cluster` name, with the checks and words of the constructs. */
export async function readOwnInputs(files: {
  readonly fleet?: string | undefined;
  readonly cluster?: string | undefined;
}): Promise<OwnInputs> {
  if (files.fleet === undefined && files.cluster === undefined) return {};
  const [{ RunnerFleet, SearchCluster }, { ownFleet, ownCluster }] = await Promise.all([
    import('@drover/constructs'),
    import('@drover/example-local'),
  ]);
  return {
    ...(files.fleet === undefined ? {} : { fleet: ownFleet(RunnerFleet.readConfiguration(files.fleet)) }),
    ...(files.cluster === undefined ? {} : { cluster: ownCluster(SearchCluster.readConfiguration(files.cluster)) }),
  };
}
