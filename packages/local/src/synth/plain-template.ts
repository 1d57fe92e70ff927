import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { zipDirectory } from '@drover/cloud-world';
import type { DroverIo } from '@drover/operator/io';
import { App, CfnParameter, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { printWarnings } from './warnings.ts';

interface AssetManifest {
  readonly files: Readonly<Record<string, FileAsset>>;
}

interface FileAsset {
  readonly source: { readonly path?: string; readonly packaging?: string; readonly executable?: readonly string[] };
  readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
}

/** Name of the parameter with the bucket that holds the assets. */
const bucketParameter = 'AssetBucket';

/**
 * A stack that needs neither the CDK nor its bootstrap stack: a template, and assets for a bucket of the user's own. Warnings of its
 * constructs are printed where `io` is given.
 */
export function writePlainTemplate(
  outdir: string,
  stackName: string,
  build: (stack: Stack) => void,
  io?: Pick<DroverIo, 'stderr'>,
): string {
  // The template is validated by the tests; here it would cost half a minute.
  process.env.CDK_VALIDATION ??= 'false';
  const assembly = mkdtempSync(join(tmpdir(), 'drover-synth-'));
  try {
    const app = new App({ outdir: assembly, analyticsReporting: false });
    const synthesizer = new DefaultStackSynthesizer({
      fileAssetsBucketName: `\${${bucketParameter}}`,
      generateBootstrapVersionRule: false,
    });
    const stack = new Stack(app, stackName, { synthesizer });
    const description = 'Bucket in this region that holds the files of the folder assets/, with the same names';
    new CfnParameter(stack, bucketParameter, { description });
    build(stack);
    app.synth();
    if (io !== undefined) printWarnings(io, assembly);
    return write(outdir, assembly, stackName);
  } finally {
    rmSync(assembly, { recursive: true, force: true });
  }
}

function write(outdir: string, assembly: string, stackName: string): string {
  const templateFile = `${stackName}.template.json`;
  mkdirSync(join(outdir, 'assets'), { recursive: true });
  copyFileSync(join(assembly, templateFile), join(outdir, templateFile));
  const { files } = JSON.parse(readFileSync(join(assembly, `${stackName}.assets.json`), 'utf8')) as AssetManifest;
  for (const { source, destinations } of Object.values(files)) {
    if (source.path === templateFile) continue;
    for (const { objectKey } of Object.values(destinations)) {
      const file = join(outdir, 'assets', objectKey);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contentOf(assembly, source));
    }
  }
  return join(outdir, templateFile);
}

function contentOf(assembly: string, { path = '', packaging, executable }: FileAsset['source']): Uint8Array {
  if (executable === undefined)
    return packaging === 'zip' ? zipDirectory(join(assembly, path)) : readFileSync(join(assembly, path));
  // The command prints the path of what it has fetched (packages/constructs/src/boot/fetch-node.mjs).
  const [file = '', ...args] = executable;
  return readFileSync(execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim());
}
