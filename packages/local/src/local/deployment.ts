import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AssemblyStack, readAssembly } from '@drover/cloud-world';
import { TerminalError } from '@drover/core';
import {
  environment,
  functionName,
  type IdleTargetSchedule,
  type ScalingMode,
  tags as tagKeys,
} from '@drover/core/names/runner-fleet';
import { watchFunction } from '@drover/core/names/search-cluster';
import { idleTarget } from '@drover/runner-fleet';

/** The deployment of `drover local`, and the names of its parts. */
export interface Deployment {
  /** Folder of the cloud assembly. */
  readonly assembly: string;
  readonly fleet: {
    readonly stack: string;
    readonly groupName: string;
    readonly platformApi: string;
    readonly platformOrg: string;
    readonly scalingMode: ScalingMode;
    readonly idleTarget: number;
    readonly allowedDrainSeconds: number;
    readonly idleTargetSchedules: readonly IdleTargetSchedule[];
    /** Further types, in the order of the template. */
    readonly types: readonly { readonly name: string; readonly idleTarget: number }[];
    /** Name of the secret with the token, if it has to exist before the deployment; otherwise a stack makes it. */
    readonly tokenSecret: string | undefined;
  };
  readonly cluster: { readonly stack: string; readonly name: string };
  /** The account and region that the stacks want. @default those of the embedded cloud */
  readonly account?: { readonly accountId?: string; readonly region?: string };
}

interface Resource {
  readonly Type: string;
  readonly Properties?: {
    readonly FunctionName?: unknown;
    readonly Tags?: readonly { readonly Key: string; readonly Value: unknown }[];
    readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
  };
}

interface DeployedFunction {
  readonly stack: AssemblyStack;
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Reads what a cloud assembly deploys from its templates: one runner fleet and one search cluster. */
export function readDeployment(folder: string): Deployment {
  const assembly = resolve(folder);
  const stacks = readAssembly(assembly);
  const functions = stacks.flatMap(functionsOf);
  const fleet = only('RunnerFleet', functions.filter(isFleet));
  const cluster = only('SearchCluster', functions.filter(isWatch));
  return {
    assembly,
    fleet: {
      stack: fleet.stack.stackName,
      groupName: text(fleet, environment.groupName),
      platformApi: text(fleet, environment.platformApi),
      platformOrg: organisation(fleet),
      scalingMode: fleet.variables[environment.scalingMode] === 'jobs' ? 'jobs' : 'idle',
      idleTarget: Number(text(fleet, environment.idleTarget)),
      allowedDrainSeconds: Number(text(fleet, environment.allowedDrainTime)),
      idleTargetSchedules: JSON.parse(String(fleet.variables[environment.idleTargetSchedules] ?? '[]')),
      types: typesOf(fleet.stack, text(fleet, environment.groupName)),
      tokenSecret: tokenSecret(fleet),
    },
    cluster: { stack: cluster.stack.stackName, name: cluster.name.slice(0, -watchFunction('').length) },
    account: accountOf(fleet.stack),
  };
}

export type ScalingRules = Pick<
  Deployment['fleet'],
  'scalingMode' | 'idleTarget' | 'idleTargetSchedules' | 'allowedDrainSeconds'
>;

/** How many runners are to be idle at a moment. */
export const idleTargetAt = (fleet: ScalingRules, now: number): number =>
  idleTarget(fleet.idleTarget, fleet.idleTargetSchedules, now);

/** Equal for two sessions that deployed the same. */
export function deploymentDigest({ assembly }: Pick<Deployment, 'assembly'>): string {
  const hash = createHash('sha256');
  for (const { templateFile } of readAssembly(assembly)) hash.update(readFileSync(templateFile));
  return hash.digest('hex');
}

const resourcesOf = ({ templateFile }: AssemblyStack): readonly Resource[] => {
  const template = readFileSync(templateFile, 'utf8');
  return Object.values((JSON.parse(template) as { readonly Resources: Readonly<Record<string, Resource>> }).Resources);
};

/** As the functions find them: by the tags of their groups. */
function typesOf(stack: AssemblyStack, groupName: string): Deployment['fleet']['types'] {
  return resourcesOf(stack).flatMap(({ Type, Properties }) => {
    if (Type !== 'AWS::AutoScaling::AutoScalingGroup') return [];
    const tags = new Map((Properties?.Tags ?? []).map(({ Key, Value }) => [Key, Value]));
    const name = tags.get(tagKeys.type);
    if (tags.get(tagKeys.fleet) !== groupName || typeof name !== 'string') return [];
    return [{ name, idleTarget: Number(tags.get(tagKeys.idleTarget)) }];
  });
}

function functionsOf(stack: AssemblyStack): DeployedFunction[] {
  return resourcesOf(stack).flatMap(({ Type, Properties }) => {
    const name = Properties?.FunctionName;
    if (Type !== 'AWS::Lambda::Function' || typeof name !== 'string') return [];
    return [{ stack, name, variables: Properties?.Environment?.Variables ?? {} }];
  });
}

const isFleet = ({ name, variables }: DeployedFunction) =>
  name === functionName(String(variables[environment.groupName]), 'registration');
const isWatch = ({ name }: DeployedFunction) => name.endsWith(watchFunction(''));

function only(construct: string, found: readonly DeployedFunction[]): DeployedFunction {
  const [one] = found;
  if (one !== undefined && found.length === 1) return one;
  throw new TerminalError(`the assembly has ${found.length === 0 ? 'no' : found.length} ${construct}`, {
    remedy: `drover local plays exactly one RunnerFleet and one SearchCluster: synthesise an app with one of each`,
  });
}

/** The embedded GitHub has one organisation. */
function organisation(fleet: DeployedFunction): string {
  for (const level of [environment.platformRepository, environment.platformEnterprise])
    if (fleet.variables[level] !== undefined)
      throw new TerminalError(`the fleet in ${fleet.stack.stackName} is not of an organisation (${level} is set)`, {
        remedy: 'for drover local give it GitHubLevel.organization instead',
      });
  return text(fleet, environment.platformOrg);
}

function text({ stack, variables }: DeployedFunction, name: string): string {
  const value = variables[name];
  if (typeof value === 'string') return value;
  throw new TerminalError(`${name} of the fleet in ${stack.stackName} is only known to CloudFormation`, {
    remedy: 'give its input as plain text',
  });
}

/** Undefined for a secret that is a resource of the app. */
function tokenSecret(fleet: DeployedFunction): string | undefined {
  const arn = fleet.variables[environment.platformTokenSecret];
  if (arn === undefined)
    throw new TerminalError('the fleet authenticates as a GitHub App', {
      remedy: 'for drover local give it GitHubCredentials.token instead',
    });
  // Of `Fn::Join` only the text matters: the name comes last, and account and region are those of the stack.
  const parts =
    typeof arn === 'string' ? [arn] : ((arn as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join']?.[1] ?? []);
  return /:secret:([^:]+)$/.exec(parts.filter((part) => typeof part === 'string').join(''))?.[1];
}

function accountOf({ environment: where }: AssemblyStack): NonNullable<Deployment['account']> {
  const [accountId = '', region = ''] = where.replace('aws://', '').split('/');
  return {
    ...(/^\d{12}$/.test(accountId) ? { accountId } : {}),
    ...(region.startsWith('unknown') ? {} : { region }),
  };
}
