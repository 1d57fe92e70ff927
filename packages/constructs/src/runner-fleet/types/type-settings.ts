import {
  fallbackGroupName,
  groupNameMaxLength,
  latestRunner,
  mostTypes,
  typeGroupName,
} from '@drover/core/names/runner-fleet';
import { checkInputs, InputError, type InputProblem, type NameOf } from '../../inputs/check-inputs.ts';
import { camelCase, type Fields } from '../../inputs/fields.ts';
import { machineContradictions } from '../contradictions.ts';
import type { RunnerFleetInputs } from '../props.ts';
import { type RunnerFleetSettings, withDefaults } from '../settings.ts';
import type { RunnerTypeProps } from './type-props.ts';

/** A type with the settings of its group. */
export interface FleetType {
  readonly name: string;
  readonly settings: RunnerFleetSettings;
}

/** The settings of a fleet, with those of its types. */
export type FleetSettings = RunnerFleetSettings & {
  readonly types: readonly FleetType[];
  /** The functions look for types; also those of an empty map, who take down the last one. */
  readonly hasTypes: boolean;
  /** The functions look for on-demand fallbacks; also where the input is false, and the last one is taken down. */
  readonly hasFallback: boolean;
  /** Problems of the types. */
  readonly typeProblems: readonly InputProblem[];
};

/** Fills in every default, of the fleet and of each type. */
export function withTypes(fields: Fields, inputs: RunnerFleetInputs, name: NameOf): FleetSettings {
  const fleet = withDefaults(inputs, name);
  const given = Object.entries(inputs.types ?? {});
  const problems: InputProblem[] = [];
  const types: FleetType[] = [];
  for (const [type, written] of given) {
    const typeName: NameOf = (key) => (key in fields ? `${name('types')}.${type}.${name(key)}` : name(key));
    const own = checkType(fields, written, typeName, problems);
    if (own === undefined) continue;
    const whole = inheritedInputs(inputs, fleet, own, type);
    const settings = withDefaults(whole, typeName);
    types.push({ name: type, settings });
    problems.push(...machineContradictions(whole, settings, typeName).filter((found) => found !== undefined));
    problems.push(...tagProblems(settings, typeName));
  }
  const hasTypes = inputs.types !== undefined && fleet.scalingMode === 'jobs';
  const all = [fleet, ...types.map((type) => type.settings)];
  const hasFallback = fleet.scalingMode === 'jobs' && all.some((each) => each.onDemandFallback !== undefined);
  const settings = { ...fleet, types, hasTypes, hasFallback };
  if (fleet.imageBakeDays !== undefined && !all.some(({ bakedImage }) => bakedImage))
    problems.push({
      key: name('image_bake_days'),
      problem: 'there is no group whose images are baked',
      remedy: `Set ${name('baked_image')}: true, for the fleet or for a type, or leave it out`,
    });
  if (given.length > 0) problems.push(...fleetProblems({ ...settings, typeProblems: [] }, name));
  return { ...settings, typeProblems: problems };
}

/** The fleet's groups: that of the default type, then those of the others. */
export const groupNames = ({ groupName, types }: FleetSettings): readonly string[] => [
  groupName,
  ...types.map(({ settings }) => settings.groupName),
];

/** Those whose instances have lifecycle events: with the on-demand fallbacks. */
export const allGroupNames = ({ types, ...fleet }: FleetSettings): readonly string[] =>
  [fleet, ...types.map(({ settings }) => settings)].flatMap(ownGroupNames);

/** A group, and its on-demand fallback; also while that is taken down, and its last hosts drain. */
export const ownGroupNames = ({ groupName, onDemandFallback }: RunnerFleetSettings): readonly string[] =>
  onDemandFallback === undefined ? [groupName] : [groupName, fallbackGroupName(groupName)];

/** Labels by which jobs ask for a group's runners. Its name is the first: that alone is enough on every server. */
export const scaleSetLabels = ({ groupName, extraLabels }: RunnerFleetSettings): readonly string[] => [
  ...new Set([groupName, ...extraLabels]),
];

/** The architecture that only types have; undefined: all have the fleet's. */
export const otherArchitecture = ({ architecture, types }: FleetSettings): 'x86_64' | 'arm64' | undefined =>
  types.map(({ settings }) => settings.architecture).find((each) => each !== architecture);

function checkType(
  fields: Fields,
  written: RunnerTypeProps,
  name: NameOf,
  problems: InputProblem[],
): RunnerTypeProps | undefined {
  try {
    return checkInputs({ title: '', key: camelCase, name }, fields, { ...written }) as RunnerTypeProps;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const prefix = name('instance_type').replace(/[^.]*$/, '');
    problems.push(
      ...error.problems.map(({ key, ...rest }) => ({
        key: key.startsWith(prefix) ? key : `${prefix}${key}`,
        ...rest,
      })),
    );
    return undefined;
  }
}

/** The inputs of a type as those of a fleet. What costs or allows something without being asked for is not the fleet's. */
export function inheritedInputs(
  inputs: RunnerFleetInputs,
  fleet: Pick<RunnerFleetSettings, 'architecture' | 'asgMaxSize' | 'groupName'>,
  own: RunnerTypeProps,
  type: string,
): RunnerFleetInputs {
  const { types, extraLabels, extraPolicies, idleTargetSchedules, capacityRebalance, warmPoolMinSize, ...shared } =
    inputs;
  const otherProcessor = own.architecture !== undefined && own.architecture !== fleet.architecture;
  const ownTypes = own.instanceType !== undefined || own.instanceTypes !== undefined;
  const otherMachines = otherProcessor || ownTypes || own.instanceRequirements !== undefined;
  const otherImage = otherProcessor || own.imageFamily !== undefined;
  return {
    ...shared,
    ...(otherMachines ? { instanceType: undefined, instanceTypes: undefined, cpuCredits: undefined } : {}),
    // They name no processor: those of the fleet serve a type with another one.
    ...(ownTypes ? { instanceRequirements: undefined } : {}),
    ...(otherImage ? { amiId: undefined, rootDeviceName: undefined } : {}),
    ...(own.onDemandBaseCapacity === null
      ? { onDemandPercentageAboveBase: undefined, onDemandFallback: undefined, rerunInterruptedJobs: undefined }
      : {}),
    asgMinSize: 0,
    asgMaxSize: fleet.asgMaxSize,
    idleRunnersTargetCount: 0,
    warmPoolMaxSize: 0,
    ...own,
    groupName: typeGroupName(fleet.groupName, type),
  };
}

/** In a text that CloudFormation fills in. Inputs are checked without loading CDK. */
const unresolved = '${Token[';

/** The characters that every service takes in the value of a tag (AWS General Reference, "Tag naming and usage conventions"). */
const tagValue = /^[\p{L}\p{Z}\p{N}_.:/=+@-]{0,256}$/u;

/** Refuses settings of a type that its group cannot have as tags, by which the functions know them. */
function tagProblems(settings: RunnerFleetSettings, name: NameOf): InputProblem[] {
  const problem = 'it does not fit into a tag of the group, by which the functions know it';
  const remedy = 'Use letters, digits and _.:/=+@- only, 256 characters at most together';
  const values = { extra_labels: scaleSetLabels(settings).join(' '), runner_group: settings.runnerGroup ?? '' };
  return Object.entries(values)
    .filter(([, value]) => !value.includes(unresolved) && !tagValue.test(value))
    .map(([key]) => ({ key: name(key), problem, remedy }));
}

/** Problems of the types together. */
function fleetProblems(settings: FleetSettings, name: NameOf): InputProblem[] {
  const { scalingMode, types } = settings;
  const key = name('types');
  const found: InputProblem[] = [];
  if (scalingMode !== 'jobs')
    found.push({
      key,
      problem: `with ${name('scaling_mode')} idle each type would list every runner of the organisation every minute`,
      remedy: `Set ${name('scaling_mode')}: jobs, or leave it out`,
    });
  if (types.length > mostTypes)
    found.push({
      key,
      problem: `${types.length} types are more than one window of the demand can watch`,
      remedy: `Give at most ${mostTypes}, and the others in another fleet`,
    });
  const long = groupNames(settings).find((each) => !each.includes(unresolved) && each.length > groupNameMaxLength);
  if (long !== undefined)
    found.push({
      key,
      problem: `the group ${long} has ${long.length} characters, and may have ${groupNameMaxLength}`,
      remedy: `Choose a shorter type or ${name('group_name')}`,
    });
  const twice = allGroupNames(settings).find((each, index, names) => names.indexOf(each) !== index);
  if (twice !== undefined)
    found.push({
      key,
      problem: `${twice} would be the group of a type and the on-demand fallback of another group`,
      remedy: 'Choose another name for the type, one that does not end in od',
    });
  if (settings.runnerVersion !== latestRunner && otherArchitecture(settings) !== undefined)
    found.push({
      key: name('runner_version'),
      problem: `its ${name('runner_checksum')} is that of one architecture, and types have both`,
      remedy: 'Leave both out for the newest version',
    });
  return [...found, ...sharedLabels(settings, key)];
}

/** GitHub gives a job to any scale set that has all of its labels; case does not count. */
function sharedLabels(settings: FleetSettings, key: string): InputProblem[] {
  const all = [
    { title: 'the default type', labels: scaleSetLabels(settings) },
    ...settings.types.map(({ name, settings: type }) => ({ title: `the type ${name}`, labels: scaleSetLabels(type) })),
  ];
  const owners = new Map<string, string>();
  return all.flatMap(({ title, labels }) =>
    labels.flatMap((label) => {
      const owner = owners.get(label.toLowerCase());
      owners.set(label.toLowerCase(), owner ?? title);
      if (owner === undefined || owner === title) return [];
      const problem = `${owner} and ${title} have the label ${label}, and a job with it could go to either`;
      return [{ key, problem, remedy: 'Give each of them labels of its own' }];
    }),
  );
}
