import { readFileSync } from 'node:fs';
import { readAssembly } from '@drover/cloud-world';
import { typeGroupName } from '@drover/core/names/runner-fleet';
import {
  type FleetInputs,
  inputsWithTypes,
  type ObservedFleet,
  type ObservedGroup,
} from '@drover/observation/observed-inputs';
import type { Deployment } from './deployment.ts';

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: Properties }>>;
}
type Properties = Readonly<Record<string, unknown>>;

/** The inputs of the fleet that was deployed last, with those of its types. */
export const deployedInputs = (deployment: Pick<Deployment, 'assembly' | 'fleet'>): FleetInputs =>
  inputsWithTypes(
    observedFleet(deployment),
    Object.fromEntries(
      deployment.fleet.types.map(({ name, idleTarget }) => {
        const groupName = typeGroupName(deployment.fleet.groupName, name);
        const fleet = { ...deployment.fleet, groupName, idleTarget, idleTargetSchedules: [] };
        return [name, observedFleet({ ...deployment, fleet })];
      }),
    ),
  );

/** The fleet as the template has it that was deployed last. */
function observedFleet({ assembly, fleet }: Pick<Deployment, 'assembly' | 'fleet'>): ObservedFleet {
  const stack = readAssembly(assembly).find(({ stackName }) => stackName === fleet.stack)!;
  const resources = Object.entries((JSON.parse(readFileSync(stack.templateFile, 'utf8')) as Template).Resources);
  const [groupId, { Properties: group }] = resources.find(
    ([, { Type, Properties }]) =>
      Type === 'AWS::AutoScaling::AutoScalingGroup' && Properties.AutoScalingGroupName === fleet.groupName,
  )!;
  const pool = resources.find(
    ([, { Type, Properties }]) =>
      Type === 'AWS::AutoScaling::WarmPool' && refersTo(Properties.AutoScalingGroupName, groupId, fleet.groupName),
  )?.[1].Properties;
  const machine = launchedBy(group, resources);
  return {
    group: { ...(group as ObservedGroup), WarmPoolConfiguration: pool },
    mode: fleet.scalingMode,
    idleTarget: fleet.idleTarget,
    idleTargetSchedules: fleet.idleTargetSchedules,
    allowedDrainSeconds: fleet.allowedDrainSeconds,
    instanceType: machine?.InstanceType,
    volumeGiB: machine?.BlockDeviceMappings?.[0]?.Ebs?.VolumeSize,
  };
}

interface Machine {
  readonly InstanceType?: string;
  readonly BlockDeviceMappings?: readonly { readonly Ebs?: { readonly VolumeSize?: number } }[];
}

/** The launch template of an instance, which the group names directly or for its mix. */
function launchedBy(group: Properties, resources: readonly (readonly [string, { Properties: Properties }])[]) {
  const named = JSON.stringify([group.LaunchTemplate, group.MixedInstancesPolicy]);
  const template = resources.find(
    ([id, { Properties }]) => Properties?.LaunchTemplateData !== undefined && named.includes(`"${id}"`),
  );
  return template?.[1].Properties.LaunchTemplateData as Machine | undefined;
}

const refersTo = (value: unknown, logicalId: string, name: string): boolean =>
  value === name || (value as { readonly Ref?: string } | undefined)?.Ref === logicalId;
