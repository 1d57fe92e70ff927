import { latestRunner } from '@drover/core/names/runner-fleet';
import type { Contradiction, NameOf } from '../inputs/check-inputs.ts';
import { wrongRequirements } from '../inputs/instance-requirements.ts';
import { missingHieraPackage, wrongProcessor } from '../inputs/shared-contradictions.ts';
import type { RunnerFleetInputs } from './props.ts';
import type { RunnerFleetSettings } from './settings.ts';

/** Inputs that are valid one by one, but not together. */
export function contradictions(
  inputs: RunnerFleetInputs,
  settings: RunnerFleetSettings,
  name: NameOf,
): Contradiction[] {
  return [
    level(inputs, name),
    scalingMode(inputs, settings, name),
    adaptiveWindows(settings, name),
    authentication(inputs, name),
    dataResidency(settings, name),
    warmPool(inputs, settings, name),
    functionSubnets(settings, name),
    proxies(inputs, name),
    registryMirror(inputs, name),
    ...cache(inputs, name),
    ...machineContradictions(inputs, settings, name),
    runnerSoftware(inputs, settings, name),
  ];
}

/** Those of one group and its machines: of the fleet, or of a type. */
export function machineContradictions(
  inputs: RunnerFleetInputs,
  settings: RunnerFleetSettings,
  name: NameOf,
): Contradiction[] {
  return [
    sizes(settings, name),
    instanceTypes(inputs, name),
    ...spotOnly(inputs, settings, name),
    fallback(settings, name),
    rerun(settings, name),
    wrongProcessor(settings, name),
    wrongRequirements(settings, name),
    hibernation(settings, name),
    cpuCredits(settings, name),
    missingHieraPackage(settings, name),
  ];
}

/** Checks the organisation, repository or enterprise of the runners. */
function level(inputs: RunnerFleetInputs, name: NameOf): Contradiction {
  const { platformOrg, platformRepository, platformEnterprise } = inputs;
  const [org, repository, enterprise] = [
    name('platform_org'),
    name('platform_repository'),
    name('platform_enterprise'),
  ];
  const given = [platformOrg, platformRepository, platformEnterprise].filter((value) => value !== undefined);
  if (given.length !== 1)
    return {
      key: org,
      problem: given.length === 0 ? 'nothing says where the runners belong' : 'runners belong to one place only',
      remedy: `Give exactly one of ${org}, ${repository} and ${enterprise}`,
    };
  if (platformEnterprise !== undefined && inputs.platformAppId !== undefined)
    return {
      key: name('platform_app_id'),
      problem: 'GitHub lets no app manage the runners of an enterprise',
      remedy: `Give ${name('platform_token_secret_arn')} with a classic token of the scope manage_runners:enterprise, or ${org}`,
    };
  if (platformRepository !== undefined && inputs.runnerGroup !== undefined)
    return {
      key: name('runner_group'),
      problem: 'a repository has no runner groups',
      remedy: `Leave it out, or give ${org} instead of ${repository}`,
    };
  return undefined;
}

function scalingMode(inputs: RunnerFleetInputs, settings: RunnerFleetSettings, name: NameOf): Contradiction {
  const mode = name('scaling_mode');
  if (settings.scalingMode === 'jobs')
    return inputs.scaleUpLimit === undefined
      ? undefined
      : {
          key: name('scale_up_limit'),
          problem: `with ${mode} jobs GitHub says how many jobs wait, and no decision is limited`,
          remedy: `Leave it out; ${name('asg_max_size')} is the limit`,
        };
  const remedy = `Give at least 1, or set ${mode}: jobs, which starts from zero`;
  const problem = `with ${mode} idle a fleet grows only while it keeps an idle runner: with 0 a first job would wait for ever`;
  if (settings.idleRunnersTargetCount === 0) return { key: name('idle_runners_target_count'), problem, remedy };
  return settings.idleTargets.includes(0) ? { key: name('idle_target_schedules'), problem, remedy } : undefined;
}

function adaptiveWindows(settings: RunnerFleetSettings, name: NameOf): Contradiction {
  if (!settings.adaptiveWindows || settings.scalingMode === 'jobs') return undefined;
  return {
    key: name('adaptive_windows'),
    problem: `with ${name('scaling_mode')} idle there are no windows`,
    remedy: `Set ${name('scaling_mode')}: jobs, or leave it out`,
  };
}

function runnerSoftware(inputs: RunnerFleetInputs, settings: RunnerFleetSettings, name: NameOf): Contradiction {
  const [version, checksum] = [name('runner_version'), name('runner_checksum')];
  const latest = settings.runnerVersion === latestRunner;
  if (latest === (inputs.runnerChecksum === undefined)) return undefined;
  return latest
    ? { key: checksum, problem: `it is given without a ${version}`, remedy: `Give ${version} too, or leave both out` }
    : {
        key: checksum,
        problem: `it is missing for ${version} ${settings.runnerVersion}`,
        remedy: `Give the SHA-256 that the release notes have for the archive, or leave ${version} out for the newest`,
      };
}

function authentication(inputs: RunnerFleetInputs, name: NameOf): Contradiction {
  const [token, appId, appKey] = [
    name('platform_token_secret_arn'),
    name('platform_app_id'),
    name('platform_app_pem_secret_arn'),
  ];
  const app = inputs.platformAppId !== undefined || inputs.platformAppPemSecretArn !== undefined;
  // Props have both in one object.
  const remedy = `Give ${token}, or ${appId === appKey ? appId : `${appId} with ${appKey}`}`;
  if (app === (inputs.platformTokenSecretArn !== undefined))
    return {
      key: token,
      problem: app ? 'a token and an app are both given' : 'no way of authentication is given',
      remedy,
    };
  if (inputs.platformTokenSecretArn !== undefined) return undefined;
  const missing = inputs.platformAppId === undefined ? appId : appKey;
  if (inputs.platformAppId !== undefined && inputs.platformAppPemSecretArn !== undefined) return undefined;
  return { key: missing, problem: "it is missing: an app's id and the secret of its key belong together", remedy };
}

/** With data residency the API is at https://api.SUBDOMAIN.ghe.com (GitHub Enterprise Cloud, "Getting started with data residency"). */
function dataResidency({ platformApi }: RunnerFleetSettings, name: NameOf): Contradiction {
  const { hostname } = new URL(platformApi);
  const subdomain = /^(?:.*\.)?([\w-]+)\.ghe\.com$/.exec(hostname)?.[1];
  const api = `https://api.${subdomain}.ghe.com`;
  if (subdomain === undefined || platformApi === api) return undefined;
  return { key: name('platform_api'), problem: `${platformApi} is not the API of ${hostname}`, remedy: `Give ${api}` };
}

function sizes(settings: RunnerFleetSettings, name: NameOf): Contradiction {
  const { asgMinSize, asgMaxSize, idleRunnersTargetCount, mostIdle } = settings;
  const [least, most] = [name('asg_min_size'), name('asg_max_size')];
  if (asgMaxSize < asgMinSize)
    return {
      key: most,
      problem: `${asgMaxSize} is below ${least} ${asgMinSize}`,
      remedy: `Raise it, or lower ${least}`,
    };
  if (mostIdle > asgMaxSize)
    return {
      key: name(idleRunnersTargetCount > asgMaxSize ? 'idle_runners_target_count' : 'idle_target_schedules'),
      problem: `${mostIdle} idle runners can never be there with ${most} ${asgMaxSize}`,
      remedy: `Lower it, or raise ${most}`,
    };
  return undefined;
}

function warmPool(inputs: RunnerFleetInputs, settings: RunnerFleetSettings, name: NameOf): Contradiction {
  const { asgMinSize } = settings;
  const [least, most] = [name('warm_pool_min_size'), name('warm_pool_max_size')];
  if (inputs.warmPoolMaxSize === 0 && (inputs.warmPoolMinSize ?? 0) > 0)
    return {
      key: least,
      problem: `${inputs.warmPoolMinSize} is asked for, but ${most} 0 means no warm pool`,
      remedy: 'Leave one of them out',
    };
  if (settings.warmPool !== undefined && (inputs.warmPoolMaxSize ?? asgMinSize) < asgMinSize)
    return {
      key: most,
      problem: `${inputs.warmPoolMaxSize} is below ${name('asg_min_size')} ${asgMinSize}, but it counts the group and the pool together`,
      remedy: 'Raise it, or set it to 0 for no warm pool',
    };
  const { minSize = 0, maxPrepared = 0 } = settings.warmPool ?? {};
  if (minSize > maxPrepared)
    return {
      key: least,
      problem: `${minSize} is above ${most} ${maxPrepared}, which counts the group and the pool together`,
      remedy: `Lower it, or raise ${inputs.warmPoolMaxSize === undefined ? `${name('asg_max_size')}, the default of ${most}` : most}`,
    };
  return undefined;
}

/** GitHub's own hosts have public addresses; other hosts may have private ones, and so may a proxy. */
const isPublic = (url: string) => /^(api\.)?github\.com$|\.ghe\.com$/.test(new URL(url).hostname);

/** Functions that have to reach private addresses are in a VPC. */
function functionSubnets(settings: RunnerFleetSettings, name: NameOf): Contradiction {
  const { platformApi, runnerReleaseUrl, httpsProxy, httpProxy } = settings;
  if (settings.functionSubnetIds.length > 0) return undefined;
  const reached = [
    ...(isPublic(platformApi) ? [] : [`${name('platform_api')} ${platformApi}`]),
    ...(isPublic(runnerReleaseUrl) ? [] : [`${name('runner_release_url')} ${runnerReleaseUrl}`]),
    ...(httpsProxy === undefined ? [] : [name('https_proxy')]),
    ...(httpProxy === undefined ? [] : [name('http_proxy')]),
  ];
  if (reached.length === 0) return undefined;
  return {
    key: name('lambda_subnet_ids'),
    problem: `it is missing, and functions outside a VPC reach public addresses only, which these need not be: ${reached.join(', ')}`,
    remedy: `Give subnets with a way out through NAT; a function in a public subnet has none. If the runner subnets are private with NAT, set ${name('runner_subnets_private')}: true`,
  };
}

function proxies({ httpProxy, httpsProxy, noProxy }: RunnerFleetInputs, name: NameOf): Contradiction {
  if (noProxy === undefined || httpProxy !== undefined || httpsProxy !== undefined) return undefined;
  const remedy = `Give ${name('https_proxy')} or ${name('http_proxy')}, or leave it out`;
  return { key: name('no_proxy'), problem: 'there is no proxy', remedy };
}

const daemonFile = '/etc/docker/daemon.json';

/** dockerd asks a mirror without a login, and refuses an address that has one (moby/moby issue 30880). */
function registryMirror(inputs: RunnerFleetInputs, name: NameOf): Contradiction {
  const { docker, dockerRegistryMirror, extraFiles = {}, types = {} } = inputs;
  if (dockerRegistryMirror === undefined) return undefined;
  const key = name('docker_registry_mirror');
  if (dockerRegistryMirror.includes('@'))
    return {
      key,
      problem: 'it has a login, which Docker sends to no mirror, and user data is no place for one',
      remedy: 'Give a mirror that asks for none, reachable from the runners only',
    };
  if (docker !== true && !Object.values(types).some((type) => type.docker === true))
    return { key, problem: 'there is no Docker', remedy: `Set ${name('docker')}: true, or leave it out` };
  if (!(daemonFile in extraFiles)) return undefined;
  const remedy = `Put registry-mirrors into that file, or leave the file out of ${name('extra_files')}`;
  return { key, problem: `${name('extra_files')} has ${daemonFile}, which this input writes`, remedy };
}

/** Roles are counted against a quota of the account, and their list is one output. */
const mostCacheRepositories = 50;

function cache(inputs: RunnerFleetInputs, name: NameOf): Contradiction[] {
  const { cacheBucket, cacheDays, cacheRepositories, cacheOidcProviderArn } = inputs;
  const bucket = name('cache_bucket');
  const parts = {
    cache_days: cacheDays,
    cache_repositories: cacheRepositories,
    cache_oidc_provider_arn: cacheOidcProviderArn,
  };
  if (cacheBucket !== true)
    return Object.entries(parts)
      .filter(([, value]) => value !== undefined)
      .map(([key]) => ({
        key: name(key),
        problem: 'there is no bucket for caches',
        remedy: `Set ${bucket}: true, or leave it out`,
      }));
  const missing = [
    ...(cacheRepositories?.length ? [] : ['cache_repositories']),
    ...(cacheOidcProviderArn === undefined ? ['cache_oidc_provider_arn'] : []),
  ];
  if (missing.length > 0)
    return missing.map((key) => ({
      key: name(key),
      problem: `it is missing, and without it no job may use the bucket of ${bucket}`,
      remedy: 'Give it; docs/how-to/images-and-caches.md says how the provider is made',
    }));
  const count = new Set(cacheRepositories).size;
  if (count <= mostCacheRepositories) return [];
  const problem = `it has ${count} repositories, and each is a role`;
  return [{ key: name('cache_repositories'), problem, remedy: `Give at most ${mostCacheRepositories}` }];
}

function instanceTypes(inputs: RunnerFleetInputs, name: NameOf): Contradiction {
  const key = name('instance_types');
  const { instanceRequirements, instanceType, instanceTypes: types } = inputs;
  if (instanceRequirements !== undefined && (types !== undefined || instanceType !== undefined))
    return {
      key: name('instance_requirements'),
      problem: `${types === undefined ? name('instance_type') : key} is given too`,
      remedy: 'Leave one of them out',
    };
  if (inputs.instanceTypes === undefined) return undefined;
  if (inputs.instanceType !== undefined)
    return { key, problem: `${name('instance_type')} is given too`, remedy: 'Leave one of them out' };
  if (inputs.instanceTypes.length === 0)
    return { key, problem: 'the list is empty', remedy: 'Give at least one type, or leave it out' };
  return undefined;
}

/** Inputs that mean something for spot instances only. */
function spotOnly(inputs: RunnerFleetInputs, { spotAboveBase }: RunnerFleetSettings, name: NameOf): Contradiction[] {
  if (spotAboveBase !== undefined) return [];
  const given = [
    ...(inputs.onDemandPercentageAboveBase === undefined ? [] : ['on_demand_percentage_above_base']),
    ...(inputs.capacityRebalance === true ? ['capacity_rebalance'] : []),
    ...(inputs.onDemandFallback === true ? ['on_demand_fallback'] : []),
    ...(inputs.rerunInterruptedJobs === true ? ['rerun_interrupted_jobs'] : []),
  ];
  return given.map((key) => ({
    key: name(key),
    problem: 'it is for spot capacity, which is off',
    remedy: `Set ${name('on_demand_base_capacity')}, or leave it out`,
  }));
}

/** In idle mode the group scales itself; below a minimum of its own it could give nothing up to the fallback. */
function fallback({ onDemandFallback, scalingMode, asgMinSize }: RunnerFleetSettings, name: NameOf): Contradiction {
  if (onDemandFallback !== true) return undefined;
  const key = name('on_demand_fallback');
  if (scalingMode !== 'jobs')
    return {
      key,
      problem: `with ${name('scaling_mode')} idle the group's own policies launch, and they know one group`,
      remedy: `Set ${name('scaling_mode')}: jobs, or leave it out`,
    };
  if (asgMinSize === 0) return undefined;
  return {
    key,
    problem: `the group has to keep ${asgMinSize} instances, also while spot has no capacity for them`,
    remedy: `Set ${name('asg_min_size')}: 0; ${name('idle_runners_target_count')} keeps idle runners in both groups`,
  };
}

/** In idle mode nothing says which job a host has. */
function rerun({ rerunInterruptedJobs, scalingMode }: RunnerFleetSettings, name: NameOf): Contradiction {
  if (!rerunInterruptedJobs || scalingMode === 'jobs') return undefined;
  return {
    key: name('rerun_interrupted_jobs'),
    problem: `with ${name('scaling_mode')} idle the functions do not know which job a host has`,
    remedy: `Set ${name('scaling_mode')}: jobs, or leave it out`,
  };
}

/** GiB of memory of the types whose hibernation we can check without asking AWS. */
const memoryGiB: Readonly<Record<string, number>> = {
  't3a.medium': 4,
  't3a.large': 8,
  't3.medium': 4,
  't3.large': 8,
  'm6i.large': 8,
  'm6i.xlarge': 16,
  'c6i.large': 4,
  'c6i.xlarge': 8,
  't4g.medium': 4,
  't4g.large': 8,
  'm7g.large': 8,
};

function hibernation(settings: RunnerFleetSettings, name: NameOf): Contradiction {
  if (settings.warmPool === undefined) return undefined;
  const [type = ''] = settings.instanceTypes;
  const memory = memoryGiB[type];
  if (memory === undefined || settings.rootVolumeSize >= memory + 10) return undefined;
  return {
    key: name('root_volume_size'),
    problem: `${settings.rootVolumeSize} GiB cannot hold the ${memory} GiB of memory of a hibernated ${type}`,
    remedy: `Give at least ${memory + 10}, or set ${name('warm_pool_max_size')} to 0 for no warm pool`,
  };
}

/** EC2 refuses the launch of any other type with a credit specification. */
function cpuCredits(settings: RunnerFleetSettings, name: NameOf): Contradiction {
  const { cpuCredits, instanceTypes, instanceRequirements } = settings;
  if (cpuCredits === undefined) return undefined;
  if (instanceRequirements !== undefined && instanceRequirements.burstablePerformance !== 'required')
    return {
      key: name('cpu_credits'),
      problem: `${name('instance_requirements')} is met by types that are no T instances and have no credits`,
      remedy: `Leave it out, or set ${name('burstable_performance')}: required`,
    };
  const other = instanceTypes.find((type) => !/^t\d/.test(type));
  if (other === undefined) return undefined;
  return { key: name('cpu_credits'), problem: `${other} is no T instance and has no credits`, remedy: 'Leave it out' };
}
