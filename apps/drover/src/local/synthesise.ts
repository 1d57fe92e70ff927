import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App, Stack } from 'aws-cdk-lib';

/** Name of the stack that holds everything. */
export const localStackName = 'drover-local';

/** What of the example is chosen when it is started. */
export interface ExampleChoices {
  /** Where GitHub is served. */
  readonly platformApi: string;
  /** On-demand instances below the spot ones; undefined: no spot instance, but a warm pool. */
  readonly onDemandBaseCapacity: number | undefined;
}

/** The example as CDK wrote it, and what it calls its parts. */
export interface SynthesisedExample {
  /** Folder of the cloud assembly. */
  readonly assembly: string;
  readonly fleetName: string;
  readonly clusterName: string;
  readonly platformTokenSecret: string;
}

type ExampleNames = Omit<SynthesisedExample, 'assembly'>;

/** Synthesises `examples/local` as `cdk synth` does. */
export async function synthesise(root: string, choices: ExampleChoices): Promise<SynthesisedExample> {
  // The template is validated by the tests; here it would cost half a minute.
  process.env.CDK_VALIDATION ??= 'false';
  const { App } = await import('aws-cdk-lib');
  const { LocalStack } = (await import(pathToFileURL(join(root, 'examples/local/local-stack.ts')).href)) as {
    LocalStack: (new (scope: App, id: string, props: object) => Stack) & ExampleNames;
  };
  const outdir = mkdtempSync(join(tmpdir(), 'drover-local-'));
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({ outdir });
  new LocalStack(app, localStackName, choices);
  const { fleetName, clusterName, platformTokenSecret } = LocalStack;
  return { assembly: app.synth().directory, fleetName, clusterName, platformTokenSecret };
}
