import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { InputError, RunnerFleet, type RunnerFleetProps } from '@drover/constructs';
import { readMap } from '@drover/constructs/inputs/read-map';
import { TerminalError } from '@drover/core';
import type { FleetInputs } from '@drover/observation/observed-inputs';
import type { FleetProps } from '@drover/stage/fleet-template';
import { stringify } from 'yaml';
import type { WhatIfOptions } from './options.ts';
import { inputsOfType } from './type-inputs.ts';
import { asGiven, fixed, modes, sweep, type Variant } from './variants.ts';

/** A fleet that is tried out. */
export interface Configuration {
  readonly name: string;
  readonly inputs: FleetProps;
}

/** Inputs without influence on scaling, which may be left out of a file. */
const standIns = {
  environment: 'what-if',
  platform_org: 'example-org',
  vpc_id: 'vpc-00000000000000000',
  subnet_ids: ['subnet-00000000000000001', 'subnet-00000000000000002'],
};
const standInToken = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:platform-token';

/** Reads configuration files as `RunnerFleet` does, with its own checks and words. */
export function readConfigurations(files: readonly string[], type?: string): Configuration[] {
  return readVariants(files, [asGiven], refuse, type);
}

/**
 * The configurations that the command line asks for: the files as they are or swept, in both modes, and a fixed number
 * of runners as in the first.
 */
export function chosenConfigurations(
  files: readonly string[],
  { sweep: axes, modes: both, fixed: count, type }: Pick<WhatIfOptions, 'sweep' | 'modes' | 'fixed' | 'type'>,
  refused: (reason: string) => void,
): readonly Configuration[] {
  const given = axes.length === 0 ? readConfigurations(files, type) : readVariants(files, sweep(axes), refused, type);
  const known = new Set(given.map(({ inputs }) => JSON.stringify(inputs)));
  // One of the modes is what was given.
  const others = both
    ? readVariants(files, modes, refused, type).filter(({ inputs }) => !known.has(JSON.stringify(inputs)))
    : [];
  return [
    ...given,
    ...others,
    ...(count === undefined ? [] : readVariants(files.slice(0, 1), [fixed(count)], refused, type)),
  ];
}

/** Each file in each variant; one that is refused is reported with the reason, and left out. */
function readVariants(
  files: readonly string[],
  variants: readonly Variant[],
  refused: (reason: string) => void,
  type: string | undefined,
): Configuration[] {
  const names = namesOf(files);
  const ofType = type === undefined ? '' : `, type ${type}`;
  return files.flatMap((file, index) => {
    const given = readGiven(file, type);
    return variants.flatMap(({ suffix, change }) =>
      configurationOf(`${names[index]}${ofType}${suffix}`, change(given), refused, `${file}${suffix}`),
    );
  });
}

/** None if the construct refuses its inputs. */
export function configurationOf(
  name: string,
  given: FleetInputs,
  refused: (reason: string) => void,
  what = name,
): Configuration[] {
  const props = readProps(what, given, refused);
  return props === undefined ? [] : [{ name, inputs: scalingInputs(props) }];
}

function refuse(reason: string): never {
  throw new TerminalError(reason);
}

/** The file's name without its ending; its path where two are called the same. */
function namesOf(files: readonly string[]): string[] {
  const short = files.map((file) => basename(file, extname(file)));
  const names = files.map((file, index) =>
    short.indexOf(short[index]!) === short.lastIndexOf(short[index]!) ? short[index]! : file,
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TerminalError(`${twice} is given twice; give each configuration once`);
  return names;
}

/** The inputs of the file, or of one of its types; the file is checked as a whole. */
function readGiven(file: string, type: string | undefined): FleetInputs {
  const map = readMap(file);
  if ('problem' in map) throw new TerminalError(`${file}: ${map.problem}. ${map.remedy}`);
  if ('types' in map.inputs) readProps(file, map.inputs, refuse);
  return inputsOfType(file, map.inputs, type);
}

function readProps(what: string, given: FleetInputs, refused: (reason: string) => void): RunnerFleetProps | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'drover-what-if-'));
  const complete = join(folder, 'fleet.yaml');
  try {
    writeFileSync(complete, stringify(completed(given)));
    return RunnerFleet.readConfiguration(complete);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const problems = error.problems.map(({ key, problem, remedy }) => `${key}: ${problem}. ${remedy}`);
    refused(`${what}: ${problems.join('; ')}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** FleetInputs inputs are kept, so that they are checked too. */
function completed(given: FleetInputs): Record<string, unknown> {
  const authenticated = Object.keys(given).some((key) => /^platform_(token|app)_/.test(key));
  const functionsPlaced = 'lambda_subnet_ids' in given || 'runner_subnets_private' in given;
  return {
    ...standIns,
    ...(authenticated ? {} : { platform_token_secret_arn: standInToken }),
    ...(functionsPlaced ? {} : { runner_subnets_private: true }),
    ...given,
  };
}

/** The replay brings its own network, image and GitHub; what decides how many runners there are is taken over. */
function scalingInputs(props: RunnerFleetProps): FleetProps {
  return {
    groupName: 'runners',
    asgMinSize: props.asgMinSize ?? props.network.subnetIds.length,
    asgMaxSize: props.asgMaxSize,
    scalingMode: props.scalingMode,
    idleRunnersTargetCount: props.idleRunnersTargetCount,
    idleTargetSchedules: props.idleTargetSchedules,
    scaleUpLimit: props.scaleUpLimit,
    allowedDrainTime: props.allowedDrainTime,
    onDemandBaseCapacity: props.onDemandBaseCapacity,
    onDemandPercentageAboveBase: props.onDemandPercentageAboveBase,
    capacityRebalance: props.capacityRebalance,
    warmPoolMinSize: props.warmPoolMinSize,
    warmPoolMaxSize: props.warmPoolMaxSize,
    instanceType: props.instanceType,
    instanceTypes: props.instanceTypes,
    instanceRequirements: props.instanceRequirements,
    architecture: props.architecture,
    imageFamily: props.imageFamily,
    rootVolumeSize: props.rootVolumeSize,
    maxInstanceLifetimeDays: props.maxInstanceLifetimeDays,
    extraLabels: props.extraLabels,
  };
}
