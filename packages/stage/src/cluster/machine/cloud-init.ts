import type { MachineView } from '@drover/cloud-machines';
import { parse } from 'yaml';
import { type WriteFile, writtenFile } from '../../written-files.ts';
import { BootFailure } from './machine-host.ts';

/** The parts of a cloud-init document that are modelled (cloud-init, "Module reference"). */
interface CloudConfig {
  readonly output?: unknown;
  readonly apt?: unknown;
  readonly package_update?: boolean;
  readonly packages?: readonly string[];
  readonly write_files?: readonly WriteFile[];
  readonly bootcmd?: readonly string[];
  readonly runcmd?: readonly string[];
}

/** Of these, `bootcmd` has no effect here: it brings the marks of a boot back for a program that a search node does not have. */
const modelled = new Set(['output', 'apt', 'package_update', 'packages', 'write_files', 'bootcmd', 'runcmd']);

/** Reads user data as cloud-init does: YAML 1.1 behind its first line. What is not modelled is refused. */
export function readCloudConfig(userData: string): CloudConfig {
  if (!/^#cloud-config\s*\n/.test(userData)) throw new BootFailure('the user data is no #cloud-config document');
  const document = (parse(userData, { version: '1.1' }) ?? {}) as CloudConfig;
  const unknown = Object.keys(document).filter((key) => !modelled.has(key));
  if (unknown.length > 0) throw new BootFailure(`cloud-init: ${unknown.join(', ')} is not modelled`);
  return document;
}

/** First boot, in cloud-init's order: files, packages, then the commands as one script. Returns its exit code. */
export async function runCloudConfig(
  machine: MachineView,
  document: CloudConfig,
  install: (packages: readonly string[]) => Promise<void>,
): Promise<number> {
  for (const { path, content } of (document.write_files ?? []).map(writtenFile)) machine.files.set(path, content);
  await install(document.packages ?? []);
  let exitCode = 0;
  for (const line of document.runcmd ?? []) ({ exitCode } = await machine.runCommand(line));
  return exitCode;
}
