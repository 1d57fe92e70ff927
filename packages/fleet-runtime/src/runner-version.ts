import { type AwsCalls, fleetMetrics, releaseMirror } from '@drover/adapters/aws';
import { publishedReleases } from '@drover/adapters/github';
import { versionEnvironment as keys, latestRunner } from '@drover/core/names/runner-fleet';
import { keepVersion } from '@drover/runner-fleet';
import { type CommonAws, composeFleet, type FunctionRuntime } from './compose.ts';
import { address, matching, reader } from './function-config.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';

export type RunnerVersionAws = CommonAws & Pick<AwsCalls, 'monitoring'>;

const version = matching(/^(latest|\d+\.\d+\.\d+)$/, 'latest or x.y.z');
const checksum = matching(/^[0-9a-f]{64}$/, 'a SHA-256');
const architecture = matching(/^(x64|arm64)$/, 'x64 or arm64');

/** `<asg>_runner_version`: on a schedule and at every launch, whatever the event says. */
export const runnerVersionFunction = withRemedyInMessage((runtime: FunctionRuntime<RunnerVersionAws>) => {
  const { config, aws, platform, anonymous, ports } = composeFleet(runtime);
  const { required } = reader(runtime.env);
  const wanted = required(keys.version, version);
  const url = required(keys.releaseUrl, address);
  const { groupName, vendor } = config;
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
    mirror: releaseMirror(aws, config.memory.bucket, runtime.fetch),
    metrics: fleetMetrics(aws, { vendor, groupName }),
    chosen: wanted === latestRunner ? undefined : { version: wanted, checksum: required(keys.checksum, checksum) },
  };
  return () => keepVersion(versionPorts);
});
