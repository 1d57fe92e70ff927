import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App, Stack } from 'aws-cdk-lib';

/** Name of the stack that holds everything. */
export const localStackName = 'drover-local';

/** Synthesises `examples/local` as `cdk synth` does, with the address at which the platform is served. */
export async function synthesise(root: string, platformApi: string): Promise<string> {
  // The template is validated by the tests; here it would cost half a minute.
  process.env.CDK_VALIDATION ??= 'false';
  const { App } = await import('aws-cdk-lib');
  const { LocalStack } = (await import(pathToFileURL(join(root, 'examples/local/local-stack.ts')).href)) as {
    LocalStack: new (scope: App, id: string, props: { platformApi: string }) => Stack;
  };
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'drover-local-')) });
  new LocalStack(app, localStackName, { platformApi });
  return app.synth().directory;
}
