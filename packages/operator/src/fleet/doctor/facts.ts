import { DescribeWarmPoolCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeRouteTablesCommand } from '@aws-sdk/client-ec2';
import { GetFunctionConcurrencyCommand, GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { bakingGroup, readRelease, remoteAgents, scheduledImages } from '@drover/adapters/aws';
import { PlatformStatusError, rateLimit } from '@drover/adapters/github';
import { dayMs, describeError, TransientError } from '@drover/core';
import type { PlatformLevel } from '@drover/core/names/platform-level';
import {
  alarmName,
  defaultType,
  type FunctionSuffix,
  functionName,
  type functionSuffixes,
  functionsOf,
  sessionOwner,
  tags,
} from '@drover/core/names/runner-fleet';
import type {
  BootFailure,
  FleetInstance,
  FleetRelease,
  HostReport,
  JobsMemory,
  Runner,
  TemplateProgress,
} from '@drover/runner-fleet';
import { templateProgress, waitsForLaunch, waitsForTermination } from '@drover/runner-fleet';
import { type AlarmFacts, readAlarms } from '../../doctor/alarm-facts.ts';
import { type GroupFacts, readGroup, withFallback } from '../../doctor/group-facts.ts';
import { type SilentAgent, silentOnes } from '../../doctor/silent-agents.ts';
import { describeGroups } from '../../groups.ts';
import { type BakeSchedule, readSchedule } from '../../image/image-schedule.ts';
import { operatorSsm } from '../../operator-ssm.ts';
import { fleetAlarms } from '../alarms.ts';
import { functionLog, type LogLine, logLines } from '../function-log.ts';
import { readMembers } from '../members.ts';
import type { OpenGroup } from '../open-fleet.ts';
import { lookBackMs } from './look-back.ts';
import { type RunnerRoutes, runnerRoutes } from './runner-routes.ts';

export interface FunctionFacts {
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly reservedConcurrency: number | undefined;
  readonly throttleAlarm: boolean;
  /** Alarms that are on because it fails, or because what it publishes does not arrive. */
  readonly failureAlarms: readonly string[];
  /** Log lines about failures, newest last. */
  readonly failures: readonly LogLine[];
}

export interface WaitingInstance extends FleetInstance {
  readonly since: number | undefined;
  readonly runner: Runner | undefined;
  readonly report: HostReport | undefined;
  /** Status of its SSM agent. */
  readonly remoteAgent: string;
}

/** `demand` in jobs mode only, `image` where images are baked by themselves. */
type Functions = Readonly<Record<(typeof functionSuffixes)[number], FunctionFacts>> & {
  readonly demand?: FunctionFacts;
  readonly image?: FunctionFacts;
};

/** Everything that the checks examine, read once. */
export interface DoctorFacts {
  readonly now: number;
  readonly groupName: string;
  /** By which functions and alarms are named. */
  readonly fleetName: string;
  /** The type, unless it is the default one. */
  readonly type?: string | undefined;
  readonly stack: string;
  readonly allowedDrainTimeMs: number;
  /** The organisation, repository or enterprise of the runners. */
  readonly level: PlatformLevel;
  /** Address of the platform's API. */
  readonly platformApi: string;
  /** Where the token is stored; undefined with an app, whose tokens the fleet renews. */
  readonly tokenSecret: string | undefined;
  /** Undefined if it does not expire, or the platform could not be read. */
  readonly tokenExpiresAt: number | undefined;
  /** Whether the platform takes our credentials, and lets us list runners where the fleet does that; and why not. */
  readonly platform:
    | { readonly kind: 'ok' }
    | { readonly kind: 'refused' | 'limited' | 'failed'; readonly reason: string; readonly message: string };
  readonly launching: readonly WaitingInstance[];
  readonly terminating: readonly WaitingInstance[];
  /** In service, but Systems Manager does not reach them. */
  readonly silent: readonly SilentAgent[];
  readonly functions: Functions;
  /** Those that need an operator. */
  readonly alarms: readonly AlarmFacts[];
  /** In jobs mode: what the windows remember. */
  readonly jobs: JobsMemory | undefined;
  /** The owner of the fleet's own session with its scale set. */
  readonly sessionOwner: string;
  /** In idle mode: remains of an earlier jobs mode. */
  readonly leftJobs?: JobsMemory | undefined;
  /** Subnets of the functions, each with the target of its default route. */
  readonly routes: ReadonlyMap<string, string>;
  /** Subnets of the runners that reach S3 through NAT. */
  readonly runnerRoutes: RunnerRoutes;
  readonly pool: { readonly minSize: number; readonly members: readonly { id: string; state: string }[] } | undefined;
  /** Set with a mixed-instances policy. */
  readonly onDemandBase: number | undefined;
  /** Inputs that let jobs become root. */
  readonly jobPrivileges: readonly string[];
  /** Boots that hosts reported as failed within a day, oldest first. */
  readonly bootFailures: readonly BootFailure[];
  /** How far the group's launch template has come. */
  readonly template: TemplateProgress;
  /** Its size, and the launches that failed. */
  readonly group: GroupFacts;
  /** The runner software that instances are to have; undefined before it was mirrored. */
  readonly release: FleetRelease | undefined;
  /** The bakes that the fleet makes by itself for this group, if it does. */
  readonly bakes?: BakeSchedule | undefined;
  /** Versions of the registered runners. */
  readonly runnerVersions: readonly string[];
}

export async function gatherFacts(fleet: OpenGroup, now: number): Promise<DoctorFacts> {
  const { groupName, fleetName, stack, config } = fleet;
  const platform = await readPlatform(fleet);
  const { launching, terminating, silent } = await waiting(fleet, platform.runners, now);
  const [group] = await describeGroups(fleet.aws.autoscaling, groupName);
  const memory = await fleet.ports.memory.read();
  const alarms = await readAlarms(fleet.aws.cloudwatch, [...fleetAlarms(fleetName, config.scalingMode).keys()]);
  return {
    now,
    groupName,
    fleetName,
    type: fleet.type === defaultType ? undefined : fleet.type,
    stack,
    allowedDrainTimeMs: config.allowedDrainTimeMs,
    level: config.level,
    platformApi: config.platformApi,
    tokenSecret: config.authentication.kind === 'token' ? config.authentication.secretArn : undefined,
    tokenExpiresAt: fleet.tokenExpiresAt(),
    platform: platform.status,
    launching,
    terminating,
    silent,
    functions: await functionFacts(fleet, alarms, now),
    alarms,
    routes: await routesOfFunctions(fleet),
    runnerRoutes: await runnerRoutes(fleet.aws.ec2, group?.VPCZoneIdentifier),
    pool: await warmPool(fleet),
    onDemandBase: group?.MixedInstancesPolicy?.InstancesDistribution?.OnDemandBaseCapacity,
    jobPrivileges: group?.Tags?.find(({ Key }) => Key === tags.jobPrivileges)?.Value?.split(' ') ?? [],
    jobs: fleet.ports.jobsMode ? (memory.jobs ?? {}) : undefined,
    sessionOwner: sessionOwner(fleetName, config.instanceArnPrefix),
    leftJobs: fleet.ports.jobsMode ? undefined : memory.jobs,
    bootFailures: (memory.bootFailures ?? []).filter(({ at }) => now - at < dayMs),
    template: templateProgress(await fleet.ports.group.read(), memory.bootFailures, now),
    group: await readWholeGroup(fleet, now),
    release: await readRelease(fleet.calls, fleet.config.memory.bucket),
    bakes: await readBakes(fleet),
    runnerVersions: [...platform.runners.values()].flatMap(({ version }) => version ?? []),
  };
}

async function readBakes(fleet: OpenGroup): Promise<BakeSchedule | undefined> {
  const { calls, groupName, config, ports, imageBakeDays: days } = fleet;
  const group = days === undefined ? undefined : await bakingGroup(calls, groupName, config.memory.bucket);
  if (days === undefined || group === undefined) return undefined;
  const images = scheduledImages(calls, group, ports.clock, () => {});
  return await readSchedule(images, await images.read(), days);
}

async function readWholeGroup({ aws, ports, groupName }: OpenGroup, now: number): Promise<GroupFacts> {
  const [main, ...others] = ports.groups.names;
  const group = await readGroup(aws.autoscaling, main ?? groupName, now);
  const [fallback] = await Promise.all(others.map((name) => readGroup(aws.autoscaling, name, now)));
  return fallback === undefined ? group : withFallback(group, fallback);
}

async function readPlatform(
  fleet: OpenGroup,
): Promise<{ status: DoctorFacts['platform']; runners: Map<string, Runner> }> {
  try {
    // Only a fleet in idle mode lists its runners; asking for the rate limit is free.
    if (fleet.ports.jobsMode) await rateLimit(fleet.platform);
    const members = await readMembers(fleet);
    const runners = members.flatMap(({ instance, runner }) =>
      instance === undefined || runner === undefined ? [] : [[instance.id, runner] as const],
    );
    return { status: { kind: 'ok' }, runners: new Map(runners) };
  } catch (error) {
    return { status: { ...whyNot(error), message: describeError(error) }, runners: new Map() };
  }
}

/** Refused, throttled, or without a response. */
function whyNot(error: unknown) {
  if (error instanceof PlatformStatusError) return { kind: 'refused', reason: error.reason } as const;
  if (error instanceof TransientError && error.retryAfterMs !== undefined)
    return { kind: 'limited', reason: 'rate-limit' } as const;
  return { kind: 'failed', reason: 'unreachable' } as const;
}

async function waiting(fleet: OpenGroup, runners: ReadonlyMap<string, Runner>, now: number) {
  const { instances } = await fleet.ports.group.read();
  const held = instances.filter((instance) => waitsForLaunch(instance) || waitsForTermination(instance));
  const ids = held.map(({ id }) => id);
  const inService = instances.filter(({ lifecycleState }) => lifecycleState === 'InService').map(({ id }) => id);
  const agents = await remoteAgents(operatorSsm(fleet.aws), [...ids, ...inService]);
  const silent = silentOnes(inService, agents);
  if (ids.length === 0) return { launching: [], terminating: [], silent };
  const [since, reports] = await Promise.all([fleet.ports.times.startedAt(ids), fleet.ports.reports.read(ids)]);
  const described = held.map((instance) => ({
    ...instance,
    since: since.get(instance.id) ?? now,
    runner: runners.get(instance.id),
    report: reports.get(instance.id),
    remoteAgent: agents.get(instance.id) ?? 'never registered',
  }));
  return { launching: described.filter(waitsForLaunch), terminating: described.filter(waitsForTermination), silent };
}

async function functionFacts(fleet: OpenGroup, alarms: readonly AlarmFacts[], now: number): Promise<Functions> {
  const suffixes = functionsOf(fleet.config.scalingMode, fleet.imageBakeDays !== undefined);
  const facts = await Promise.all(suffixes.map((suffix) => oneFunction(fleet, suffix, alarms, now)));
  return Object.fromEntries(suffixes.map((suffix, at) => [suffix, facts[at]])) as unknown as Functions;
}

async function oneFunction(
  { aws, fleetName, outputs }: OpenGroup,
  suffix: FunctionSuffix,
  alarms: readonly AlarmFacts[],
  now: number,
): Promise<FunctionFacts> {
  const name = functionName(fleetName, suffix);
  const [{ Timeout }, { ReservedConcurrentExecutions }] = await Promise.all([
    aws.lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name })),
    aws.lambda.send(new GetFunctionConcurrencyCommand({ FunctionName: name })),
  ]);
  const isOn = (wanted: string) => alarms.some((alarm) => alarm.on && alarm.name === wanted);
  return {
    name,
    timeoutSeconds: Timeout ?? 0,
    reservedConcurrency: ReservedConcurrentExecutions,
    throttleAlarm: isOn(alarmName.throttles(name)),
    failureAlarms: [alarmName.errors(name), ...silenceOf(fleetName, suffix)].filter(isOn),
    failures: await failuresIn(aws, functionLog(outputs, suffix), now),
  };
}

/** The alarm that is on when what the function publishes is missing or old. */
const silenceOf = (groupName: string, suffix: FunctionSuffix) =>
  suffix === 'record_metric'
    ? [alarmName.metricSilent(groupName)]
    : suffix === 'demand'
      ? [alarmName.demandSignalOld(groupName)]
      : [];

/**
 * Our own lines of level error, and Lambda's lines about a function that threw or was cut off. Lambda puts time and request before each line,
 * so that none of them is JSON for a filter.
 */
const failure = /"level":"error"|Invoke Error|Task timed out/;

export async function failuresIn(
  aws: OpenGroup['aws'],
  logGroupName: string | undefined,
  now: number,
): Promise<LogLine[]> {
  const found: LogLine[] = [];
  const filter = { startTime: now - lookBackMs, filterPattern: '?error ?"Invoke Error" ?"Task timed out"' };
  if (logGroupName !== undefined)
    for await (const line of logLines(aws, { logGroupName, ...filter })) if (failure.test(line.text)) found.push(line);
  return found.sort((a, b) => a.at - b.at);
}

/** The default route of each function subnet: `nat-…`, `igw-…`, or `none`. */
async function routesOfFunctions({ aws, fleetName }: OpenGroup): Promise<Map<string, string>> {
  const { VpcConfig } = await aws.lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: functionName(fleetName, 'registration') }),
  );
  const subnetIds = VpcConfig?.SubnetIds ?? [];
  if (subnetIds.length === 0) return new Map();
  const { RouteTables } = await aws.ec2.send(
    new DescribeRouteTablesCommand({ Filters: [{ Name: 'vpc-id', Values: [VpcConfig?.VpcId ?? ''] }] }),
  );
  const tables = RouteTables ?? [];
  const main = tables.find(({ Associations }) => Associations?.some(({ Main }) => Main));
  return new Map(
    subnetIds.map((subnetId) => {
      const own = tables.find(({ Associations }) => Associations?.some((each) => each.SubnetId === subnetId)) ?? main;
      const way = own?.Routes?.find(({ DestinationCidrBlock }) => DestinationCidrBlock === '0.0.0.0/0');
      return [
        subnetId,
        way?.NatGatewayId ?? way?.TransitGatewayId ?? way?.NetworkInterfaceId ?? way?.GatewayId ?? 'none',
      ];
    }),
  );
}

async function warmPool({ aws, groupName }: OpenGroup): Promise<DoctorFacts['pool']> {
  const { WarmPoolConfiguration, Instances } = await aws.autoscaling.send(
    new DescribeWarmPoolCommand({ AutoScalingGroupName: groupName }),
  );
  if (WarmPoolConfiguration === undefined) return undefined;
  return {
    minSize: WarmPoolConfiguration.MinSize ?? 0,
    members: (Instances ?? []).map((one) => ({ id: one.InstanceId ?? '', state: one.LifecycleState ?? '' })),
  };
}
