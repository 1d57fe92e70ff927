import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScalingMode } from '@drover/core/names/runner-fleet';
import { type Deployment, readDeployment } from './deployment.ts';

/** Name of the stack that holds everything. */
const stackName = 'drover-local';

/** What of the example is chosen when it is started. */
export interface ExampleChoices {
  /** Where GitHub is served. */
  readonly platformApi: string;
  /** On-demand instances below the spot ones; undefined: no spot instance, but a warm pool. */
  readonly onDemandBaseCapacity: number | undefined;
  /** @default idle */
  readonly scalingMode?: ScalingMode;
}

/** Synthesises `examples/local` as `cdk synth` does. */
export async function synthesise(choices: ExampleChoices): Promise<Deployment> {
  // The template is validated by the tests; here it would cost half a minute.
  process.env.CDK_VALIDATION ??= 'false';
  const [{ App }, { LocalStack }] = await Promise.all([import('aws-cdk-lib'), import('@drover/example-local')]);
  const outdir = mkdtempSync(join(tmpdir(), 'drover-local-'));
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({ outdir });
  const { platformApi, onDemandBaseCapacity, scalingMode = 'idle' } = choices;
  new LocalStack(app, stackName, {
    platformApi,
    scalingMode,
    ...(onDemandBaseCapacity === undefined ? {} : { onDemandBaseCapacity }),
  });
  return readDeployment(app.synth().directory);
}
