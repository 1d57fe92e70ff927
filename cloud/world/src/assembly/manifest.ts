import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TerminalError } from '@drover/core';

/** One stack of a cloud assembly. */
export interface AssemblyStack {
  readonly artifactId: string;
  readonly stackName: string;
  /** Absolute path of the template. */
  readonly templateFile: string;
  /** Absolute paths of the asset manifests that it needs. */
  readonly assetManifests: readonly string[];
  /** Artifact ids of the stacks that it needs first. */
  readonly needs: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly terminationProtection: boolean;
  /** `aws://<account>/<region>`, either of which may be `unknown-…`. */
  readonly environment: string;
}

interface Artifact {
  readonly type: string;
  readonly environment?: string;
  readonly dependencies?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Manifest {
  readonly artifacts?: Readonly<Record<string, Artifact>>;
  readonly missing?: readonly { readonly key: string }[];
}

/** Reads the stacks of an assembly and of the assemblies nested in it (CDK stages), in the order in which they need each other. */
export function readAssembly(directory: string): AssemblyStack[] {
  return inOrder(readStacks(directory));
}

function readStacks(directory: string): AssemblyStack[] {
  const manifest = readManifest(directory);
  if (manifest.missing !== undefined && manifest.missing.length > 0)
    throw new TerminalError(
      `cloud assembly ${directory} lacks context values: ${manifest.missing.map(({ key }) => key).join(', ')}`,
      { remedy: 'put them into cdk.context.json or give the stack explicit values instead of lookups' },
    );
  return Object.entries(manifest.artifacts ?? {}).flatMap(([id, artifact]) => {
    if (artifact.type === 'cdk:cloud-assembly')
      return readStacks(join(directory, String(artifact.properties?.directoryName)));
    return artifact.type === 'aws:cloudformation:stack' ? [toStack(directory, manifest, id, artifact)] : [];
  });
}

function readManifest(directory: string): Manifest {
  const file = join(directory, 'manifest.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  } catch (cause) {
    throw new TerminalError(`${file} is not the manifest of a cloud assembly`, {
      cause,
      remedy: 'run cdk synth first',
    });
  }
}

function toStack(directory: string, manifest: Manifest, id: string, artifact: Artifact): AssemblyStack {
  const properties = artifact.properties ?? {};
  const needs = artifact.dependencies ?? [];
  const typeOf = (each: string) => manifest.artifacts?.[each]?.type;
  return {
    artifactId: id,
    stackName: String(properties.stackName ?? id),
    templateFile: join(directory, String(properties.templateFile)),
    assetManifests: needs
      .filter((each) => typeOf(each) === 'cdk:asset-manifest')
      .map((each) => join(directory, String(manifest.artifacts![each]!.properties?.file))),
    needs: needs.filter((each) => typeOf(each) === 'aws:cloudformation:stack'),
    parameters: (properties.parameters as Record<string, string> | undefined) ?? {},
    tags: (properties.tags as Record<string, string> | undefined) ?? {},
    terminationProtection: properties.terminationProtection === true,
    environment: artifact.environment ?? 'aws://unknown-account/unknown-region',
  };
}

function inOrder(stacks: readonly AssemblyStack[]): AssemblyStack[] {
  const ordered: AssemblyStack[] = [];
  const visit = (stack: AssemblyStack) => {
    if (ordered.includes(stack)) return;
    for (const needed of stacks.filter((each) => stack.needs.includes(each.artifactId))) visit(needed);
    ordered.push(stack);
  };
  stacks.forEach(visit);
  return ordered;
}

/** The stack of that name or artifact id and everything it needs; all stacks without a name. */
export function selectStacks(stacks: readonly AssemblyStack[], name: string | undefined): AssemblyStack[] {
  if (name === undefined) return [...stacks];
  const wanted = stacks.find((each) => each.stackName === name || each.artifactId === name);
  if (wanted === undefined)
    throw new TerminalError(
      `the cloud assembly has no stack ${name}; it has ${stacks.map((each) => each.stackName).join(', ')}`,
    );
  const chosen = new Set([wanted.artifactId]);
  for (const stack of stacks.toReversed())
    if (chosen.has(stack.artifactId)) for (const needed of stack.needs) chosen.add(needed);
  return stacks.filter((each) => chosen.has(each.artifactId));
}
