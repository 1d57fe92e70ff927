import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScalingMode } from '@drover/core/names/runner-fleet';
import { fleetStackName, synthesiseFleet } from '@drover/stage/fleet-template';
import type { Configuration } from './configurations.ts';
import { type ScalingTemplate, scaleOneAtATime } from './one-at-a-time.ts';

/** A configuration as it would be deployed. */
export interface Candidate {
  readonly name: string;
  readonly scaling: 'drover' | 'one-at-a-time';
  /** On what the fleet scales. */
  readonly mode: ScalingMode;
  readonly groupName: string;
  /** Folder of the synthesised template and its assets. */
  readonly assembly: string;
  /** Every type that it may launch; none where it only says what they need to have. */
  readonly instanceTypes: readonly string[];
  /** GiB of an instance's root volume. */
  readonly volumeGiB: number;
  /** Labels that its runners have beside those of GitHub, lower case. */
  readonly extraLabels: readonly string[];
}

interface FleetTemplate extends ScalingTemplate {
  readonly Resources: Record<string, { readonly Type: string; Properties: Record<string, unknown> }>;
}

/** Synthesises a configuration as `cdk synth` does. */
export function assemble({ name, inputs }: Configuration, scaling: Candidate['scaling']): Candidate {
  // The template is validated by the tests; here it would cost half a minute.
  process.env.CDK_VALIDATION ??= 'false';
  const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-what-if-')), inputs);
  const file = join(assembly, `${fleetStackName}.template.json`);
  const template = JSON.parse(readFileSync(file, 'utf8')) as FleetTemplate;
  if (scaling === 'one-at-a-time') {
    scaleOneAtATime(template);
    writeFileSync(file, JSON.stringify(template));
  }
  return {
    name: scaling === 'drover' ? name : `${name}, one at a time`,
    scaling,
    mode: inputs.scalingMode ?? 'idle',
    groupName: inputs.groupName ?? 'runners',
    assembly,
    ...machineOf(template),
    extraLabels: (inputs.extraLabels ?? []).map((label) => label.toLowerCase()),
  };
}

interface LaunchTemplateData {
  readonly InstanceType: string;
  readonly BlockDeviceMappings: readonly { readonly Ebs: { readonly VolumeSize: number } }[];
}
interface MixedInstances {
  readonly LaunchTemplate: { readonly Overrides: readonly { readonly InstanceType?: string }[] };
}

/** The machine of the template: read there, so that defaults are those of the construct. */
function machineOf(template: FleetTemplate): Pick<Candidate, 'instanceTypes' | 'volumeGiB'> {
  const properties = (type: string) => Object.values(template.Resources).find(({ Type }) => Type === type)!.Properties;
  const data = properties('AWS::EC2::LaunchTemplate').LaunchTemplateData as LaunchTemplateData;
  const mixed = properties('AWS::AutoScaling::AutoScalingGroup').MixedInstancesPolicy as MixedInstances | undefined;
  return {
    instanceTypes: mixed?.LaunchTemplate.Overrides.flatMap(({ InstanceType }) => InstanceType ?? []) ?? [
      data.InstanceType,
    ],
    volumeGiB: data.BlockDeviceMappings[0]!.Ebs.VolumeSize,
  };
}
