import {
  type AwsCalls,
  fleetMetrics,
  fleetProcesses,
  groupMembers,
  groupSize,
  hostReports,
  releaseMirror,
} from '@drover/adapters/aws';
import { publishedReleases, scaleSetDirectory, scaleSetRunners } from '@drover/adapters/github';
import {
  hostReportPrefix,
  versionEnvironment as keys,
  latestRunner,
  metrics,
  otherReleaseObject,
  releaseObject,
} from '@drover/core/names/runner-fleet';
import { keepVersion, type Metrics, rollOut } from '@drover/runner-fleet';
import {
  type CommonAws,
  type ComposedGroup,
  composeFleet,
  type FunctionRuntime,
  quietWithoutGroup,
} from './compose.ts';
import { address, flag, matching, reader } from './function-config.ts';
import { listedRunners } from './listed-runners.ts';
import { overTypes } from './over-types.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';

export type RunnerVersionAws = CommonAws & Pick<AwsCalls, 'monitoring'>;

const version = matching(/^(latest|\d+\.\d+\.\d+)$/, 'latest or x.y.z');
const checksum = matching(/^[0-9a-f]{64}$/, 'a SHA-256');
const architecture = matching(/^(x64|arm64)$/, 'x64 or arm64');
const days = matching(/^\d{1,3}$/, 'a number of days up to 365');
const dayMs = 24 * 3_600_000;

/** `<asg>_runner_version`: mirrors the runner software, on a schedule and at every launch; the schedule also goes on with a roll-out. */
export const runnerVersionFunction = withRemedyInMessage((runtime: FunctionRuntime<RunnerVersionAws>) => {
  const fleet = composeFleet(runtime);
  const { required, optional } = reader(runtime.env);
  const software = [
    versionPorts(runtime, fleet, required(keys.architecture, architecture), releaseObject),
    ...[optional(keys.otherArchitecture, architecture)].flatMap((other) =>
      other === undefined ? [] : [versionPorts(runtime, fleet, other, otherReleaseObject)],
    ),
  ];
  const goOn = overTypes(fleet, (group) => {
    const ports = rolloutPorts(runtime, group, software[group.type?.otherArchitecture === true ? 1 : 0]!);
    return quietWithoutGroup(group.ports.log, () => rollOut(ports));
  });
  return async (event: unknown) => {
    const kept = await Promise.allSettled(software.map((ports) => keepVersion(ports)));
    // Instances that boot need the software only; hosts can be replaced without news of it.
    if (!isLaunch(event)) await goOn(event);
    const failed = kept.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
});

/** The software of one architecture; `object` describes its mirror. */
function versionPorts(
  runtime: FunctionRuntime<RunnerVersionAws>,
  { config, aws, platform, anonymous, ports }: ComposedGroup<RunnerVersionAws>,
  forArchitecture: string,
  object: string,
) {
  const { required } = reader(runtime.env);
  const wanted = required(keys.version, version);
  const url = required(keys.releaseUrl, address);
  const { groupName, vendor } = config;
  const atPlatform = url.startsWith(`${config.platformApi}/`);
  return {
    ...ports,
    groupName,
    published: publishedReleases({
      client: platform,
      releases: atPlatform ? platform : anonymous(),
      url,
      architecture: forArchitecture as 'x64' | 'arm64',
    }),
    mirror: releaseMirror(aws, config.memory.bucket, runtime, object),
    metrics: fleetMetrics(aws, { vendor, groupName }),
    chosen: wanted === latestRunner ? undefined : { version: wanted, checksum: required(keys.checksum, checksum) },
  };
}

function rolloutPorts(
  runtime: FunctionRuntime<RunnerVersionAws>,
  group: ComposedGroup<RunnerVersionAws>,
  { mirror }: ReturnType<typeof versionPorts>,
) {
  const { aws, config, ports, type } = group;
  const { optional } = reader(runtime.env);
  const { groupName, fleet, vendor, instanceArnPrefix, scalingMode: mode } = config;
  const lifetimeDays = Number(optional(keys.lifetimeDays, days) ?? 0);
  const runners = listedRunners(group);
  const metrics = fleetMetrics(aws, { vendor, groupName: fleet });
  return {
    ...ports,
    mirror,
    metrics: type === undefined ? metrics : onlyWhatStands(metrics),
    mode,
    processes: fleetProcesses(aws, ports.groups),
    members: groupMembers(aws, ports.groups),
    size: groupSize(aws, groupName),
    runners:
      mode === 'jobs'
        ? { ...runners, ...scaleSetDirectory(scaleSetRunners(group.actions('runner_version'))) }
        : runners,
    reports: hostReports(aws, { bucket: config.memory.bucket, prefix: hostReportPrefix(instanceArnPrefix) }),
    mostAgeMs: lifetimeDays === 0 ? undefined : lifetimeDays * dayMs,
    replacesAtRisk: optional(keys.replacesAtRisk, flag) === 'true',
  };
}

/** Of a type the fleet's metric has only that its roll-out stands: the counts are the default type's. */
const onlyWhatStands = (fleet: Metrics): Metrics => ({
  async put(values) {
    const { [metrics.rolloutStopped]: stopped = 0 } = values;
    if (stopped > 0) await fleet.put({ [metrics.rolloutStopped]: stopped });
  },
});

const isLaunch = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && (event as Record<string, unknown>).source === 'aws.autoscaling';
