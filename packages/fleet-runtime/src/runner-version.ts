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
import { hostReportPrefix, versionEnvironment as keys, latestRunner } from '@drover/core/names/runner-fleet';
import { keepVersion, rollOut } from '@drover/runner-fleet';
import { type CommonAws, composeFleet, type FunctionRuntime, quietWithoutGroup } from './compose.ts';
import { address, matching, reader } from './function-config.ts';
import { listedRunners } from './listed-runners.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';

export type RunnerVersionAws = CommonAws & Pick<AwsCalls, 'monitoring'>;

const version = matching(/^(latest|\d+\.\d+\.\d+)$/, 'latest or x.y.z');
const checksum = matching(/^[0-9a-f]{64}$/, 'a SHA-256');
const architecture = matching(/^(x64|arm64)$/, 'x64 or arm64');
const days = matching(/^\d{1,3}$/, 'a number of days up to 365');
const flag = matching(/^(true|false)$/, 'true or false');
const dayMs = 24 * 3_600_000;

/** `<asg>_runner_version`: mirrors the runner software, on a schedule and at every launch; the schedule also goes on with a roll-out. */
export const runnerVersionFunction = withRemedyInMessage((runtime: FunctionRuntime<RunnerVersionAws>) => {
  const fleet = composeFleet(runtime);
  const { config, aws, platform, anonymous, ports } = fleet;
  const { required, optional } = reader(runtime.env);
  const wanted = required(keys.version, version);
  const url = required(keys.releaseUrl, address);
  const { groupName, vendor, instanceArnPrefix, scalingMode: mode } = config;
  const { bucket } = config.memory;
  const atPlatform = url.startsWith(`${config.platformApi}/`);
  const published = publishedReleases({
    client: platform,
    releases: atPlatform ? platform : anonymous(),
    url,
    architecture: required(keys.architecture, architecture) as 'x64' | 'arm64',
  });
  const versionPorts = {
    ...ports,
    groupName,
    published,
    mirror: releaseMirror(aws, bucket, runtime.fetch),
    metrics: fleetMetrics(aws, { vendor, groupName }),
    chosen: wanted === latestRunner ? undefined : { version: wanted, checksum: required(keys.checksum, checksum) },
  };
  const lifetimeDays = Number(optional(keys.lifetimeDays, days) ?? 0);
  const runners = listedRunners(fleet);
  const rolloutPorts = {
    ...versionPorts,
    mode,
    processes: fleetProcesses(aws, groupName),
    members: groupMembers(aws, groupName),
    size: groupSize(aws, groupName),
    runners:
      mode === 'jobs'
        ? { ...runners, ...scaleSetDirectory(scaleSetRunners(fleet.actions('runner_version'))) }
        : runners,
    reports: hostReports({ s3: aws.s3 }, { bucket, prefix: hostReportPrefix(instanceArnPrefix) }),
    mostAgeMs: lifetimeDays === 0 ? undefined : lifetimeDays * dayMs,
    replacesAtRisk: optional(keys.replacesAtRisk, flag) === 'true',
  };
  const goOn = quietWithoutGroup(ports.log, () => rollOut(rolloutPorts));
  return async (event: unknown) => {
    const failed = await keepVersion(versionPorts).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    // Instances that boot need the software only; hosts can be replaced without news of it.
    if (!isLaunch(event)) await goOn(event);
    if (failed !== undefined) throw failed.error;
  };
});

const isLaunch = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && (event as Record<string, unknown>).source === 'aws.autoscaling';
