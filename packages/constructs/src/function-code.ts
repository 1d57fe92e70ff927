import { chmodSync, cpSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Architecture, Code, Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { builtProgram } from './programs.ts';

/** The platform of every function. The runtime by its name: older versions of the CDK have no constant for it. */
export const functionPlatform = {
  runtime: new Runtime('nodejs24.x', RuntimeFamily.NODEJS, { supportsInlineCode: true }),
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  memorySize: 256,
};

/**
 * The package of a function: its built folder, and more files by name. CDK's zip keeps the modes of files, and "Lambda requires global read
 * permissions on code files" (AWS Knowledge Center, "permission denied" with a deployment package): after a build or an installation under
 * a umask like 077 a copy is packed instead.
 */
export function functionCode(bundle: string, more: Readonly<Record<string, string>> = {}): Code {
  const path = builtProgram(bundle);
  const names = Object.keys(more);
  if (names.length === 0 && filesIn(path).every(isReadable)) return Code.fromAsset(path);
  const folder = mkdtempSync(join(tmpdir(), 'drover-function-'));
  cpSync(path, folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), more[name]!);
  for (const file of filesIn(folder)) chmodSync(file, 0o644);
  return Code.fromAsset(folder);
}

/** A bundle has no folders. */
const filesIn = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

const isReadable = (file: string) => (statSync(file).mode & 0o004) !== 0;
