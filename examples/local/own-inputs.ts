import { GitHubLevel, type RunnerFleetProps, type SearchClusterProps } from '@drover/constructs';

export const exampleLevel = GitHubLevel.organization('example-org');

/** Inputs of a fleet that name things of a real account or network: the embedded cloud has its own. */
const fleetPlaces = [
  'network',
  'lambdaSubnetIds',
  'runnerSubnetsPrivate',
  'extraSecurityGroupIds',
  'httpProxy',
  'httpsProxy',
  'noProxy',
  'caCertificates',
  'permissionsBoundaryArn',
  'kmsKeyArn',
  'amiId',
  'extraPolicies',
  'alarmTopicArns',
  'platformApi',
  'credentials',
  'runnerReleaseUrl',
] as const satisfies readonly (keyof RunnerFleetProps)[];

const clusterPlaces = [
  'network',
  'vpcCidrBlock',
  'zone',
  'loadBalancerSubnetIds',
  'clientSecurityGroupIds',
  'certificateArn',
  'accessLogsBucket',
  'amiId',
  'kmsKeyArn',
  'keystoreSecrets',
  'packageMirror',
  'extraPolicies',
  'alarmTopicArns',
] as const satisfies readonly (keyof SearchClusterProps)[];

/** The part of a fleet's own inputs that is tried on the embedded cloud. */
export type OwnFleet = Omit<RunnerFleetProps, (typeof fleetPlaces)[number]>;
/** The part of a cluster's own inputs that is tried on the embedded cloud. */
export type OwnCluster = Omit<SearchClusterProps, (typeof clusterPlaces)[number]>;

/** A fleet's inputs without those that name things of a real account. */
export function ownFleet(props: RunnerFleetProps): OwnFleet {
  // By default there are as many runners as subnets: those of the file count.
  const own = { asgMinSize: props.network.subnetIds.length, ...without(props, fleetPlaces) };
  // The embedded GitHub has an organisation.
  return props.level.kind === 'org' ? own : { ...own, level: exampleLevel };
}

/** A cluster's inputs without those that name things of a real account. */
export const ownCluster = (props: SearchClusterProps): OwnCluster => without(props, clusterPlaces);

function without<Props extends object, Key extends keyof Props>(props: Props, keys: readonly Key[]): Omit<Props, Key> {
  const left = Object.entries(props).filter(([key, value]) => value !== undefined && !keys.includes(key as Key));
  return Object.fromEntries(left) as Omit<Props, Key>;
}
