import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Function as LambdaFn, Runtime } from 'aws-cdk-lib/aws-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { functionCode } from './function-code.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

it('code of a function that was built under umask 077 is world-readable in the assembly', () => {
  const [bundle, outdir] = ['bundle-', 'out-'].map((name) => mkdtempSync(join(tmpdir(), name))) as [string, string];
  onTestFinished(() => [bundle, outdir].forEach((folder) => void rmSync(folder, { recursive: true })));
  writeFileSync(join(bundle, 'index.js'), 'exports.handler = async () => 42;', { mode: 0o600 });
  const app = new App({ outdir });
  new LambdaFn(new Stack(app, 'stack'), 'Fn', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: functionCode(relative(root, bundle)),
  });
  app.synth();

  const staged = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  expect(staged.map((name) => statSync(join(outdir, name, 'index.js')).mode & 0o777)).toEqual([0o644]);
});
