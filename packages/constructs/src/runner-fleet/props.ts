import type { IdleTargetSchedule, ScalingMode } from '@drover/core/names/runner-fleet';
import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { InstanceRequirements } from '../inputs/instance-requirements.ts';
import type { AlarmProps, ConfigurationProps, MachineProps } from '../inputs/shared-props.ts';
import type { CredentialInputs, GitHubCredentials } from '../props/github-credentials.ts';
import type { GitHubLevel, LevelInputs } from '../props/github-level.ts';
import type { Network, NetworkIds } from '../props/network.ts';
import type { RunnerTypeProps } from './types/type-props.ts';

/** Props of `RunnerFleet`: the inputs of docs/CONFIGURATION.md in camelCase, what belongs together as one object. */
export interface RunnerFleetProps extends MachineProps, ConfigurationProps, AlarmProps {
  /**
   * Name of the environment, e.g. production.
   *
   * Allowed: letters, digits, - and _, at most 32.
   */
  readonly environment: string;

  /** Organisation, repository or enterprise that the runners belong to. */
  readonly level: GitHubLevel;

  /** VPC and subnets of the runners. */
  readonly network: Network;

  /** How the fleet authenticates at GitHub: a token, or a GitHub App. */
  readonly credentials: GitHubCredentials;

  /**
   * Name of the Auto Scaling group.
   *
   * Allowed: letters, digits, - and _, at most 49.
   *
   * @default actions-runner-<environment>
   */
  readonly groupName?: string | undefined;

  /**
   * Base URL of the GitHub API; /api/v3 of a GitHub Enterprise Server, api.SUBDOMAIN.ghe.com with data residency.
   *
   * Allowed: an http(s) address without a slash at the end.
   *
   * @default https://api.github.com
   */
  readonly platformApi?: string | undefined;

  /**
   * Subnets of the functions; they need internet access through NAT. An empty list: the functions are outside a VPC.
   *
   * Allowed: a list of subnet ids (subnet-…).
   *
   * @default network.subnetIds, if runnerSubnetsPrivate is true; private subnets with NAT, if network has a VPC of the app; else the functions are outside a VPC, which needs no NAT
   */
  readonly lambdaSubnetIds?: readonly string[] | undefined;

  /**
   * The runner subnets have internet access through NAT, and the functions are in them too.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly runnerSubnetsPrivate?: boolean | undefined;

  /**
   * Makes a gateway endpoint for S3 with routes in these tables: traffic with S3 takes neither NAT nor its price.
   *
   * Allowed: a list of ids of route tables (rtb-…).
   *
   * @default none
   */
  readonly s3RouteTableIds?: readonly string[] | undefined;

  /**
   * Security groups of runners and functions in addition to their own.
   *
   * Allowed: a list of ids of security groups (sg-…).
   *
   * @default none
   */
  readonly extraSecurityGroupIds?: readonly string[] | undefined;

  /**
   * Security groups of the app instead of their ids in extraSecurityGroupIds.
   *
   * @default none
   */
  readonly extraSecurityGroups?: readonly ISecurityGroup[] | undefined;

  /**
   * Proxy of runners and functions for http addresses.
   *
   * Allowed: an address http://HOST:PORT without user, password and path.
   *
   * @default none
   */
  readonly httpProxy?: string | undefined;

  /**
   * Proxy of runners and functions for https addresses.
   *
   * Allowed: an address http://HOST:PORT without user, password and path.
   *
   * @default none
   */
  readonly httpsProxy?: string | undefined;

  /**
   * Hosts that are reached without the proxy; .example.com is all names below it.
   *
   * Allowed: a list of host names, names with a dot before them, or addresses.
   *
   * @default none
   */
  readonly noProxy?: readonly string[] | undefined;

  /**
   * Certificates (PEM) of private authorities that runners and functions trust.
   *
   * Allowed: certificates as text (-----BEGIN CERTIFICATE-----…).
   *
   * @default none
   */
  readonly caCertificates?: string | undefined;

  /**
   * Managed policy that is the permissions boundary of every role of the fleet.
   *
   * Allowed: the ARN of a managed policy (arn:aws:iam::…:policy/…).
   *
   * @default none
   */
  readonly permissionsBoundaryArn?: string | undefined;

  /**
   * On what the fleet scales: idle keeps runners ready that take one job after the other, jobs starts a fresh machine for each job that waits.
   *
   * Allowed: one of idle, jobs.
   *
   * @default idle
   */
  readonly scalingMode?: ScalingMode | undefined;

  /**
   * Experimental, only with scalingMode jobs: half an hour after the last job the fleet looks for jobs once a minute instead of all the time; a first job then waits up to a minute more.
   *
   * Not proven on a real organisation: that GitHub gives jobs to a scale set between two looks, and that its numbers are fresh at each.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly adaptiveWindows?: boolean | undefined;

  /**
   * Minimum number of runners.
   *
   * Allowed: a whole number from 0 to 10000.
   *
   * @default number of subnets
   */
  readonly asgMinSize?: number | undefined;

  /**
   * Maximum number of runners.
   *
   * Allowed: a whole number from 1 to 10000.
   *
   * @default asgMinSize + 1
   */
  readonly asgMaxSize?: number | undefined;

  /**
   * Number of idle runners to keep ready; 0 only with scalingMode jobs.
   *
   * Allowed: a whole number from 0 to 1000.
   *
   * @default 1
   */
  readonly idleRunnersTargetCount?: number | undefined;

  /**
   * Other idle targets from times on: each schedule holds from when its cron expression fires until another one fires.
   *
   * Allowed: a list of maps of cron (minute hour day month weekday), time_zone (e.g. Europe/Berlin), idleRunnersTargetCount (0 to 1000).
   *
   * @default none
   */
  readonly idleTargetSchedules?: readonly IdleTargetSchedule[] | undefined;

  /**
   * Most runners that one scaling decision adds while no runner is idle; never below the idle target; not with scalingMode jobs.
   *
   * Allowed: a whole number from 1 to 1000.
   *
   * @default 10
   */
  readonly scaleUpLimit?: number | undefined;

  /**
   * Seconds that a running job may continue once the termination of its instance has begun.
   *
   * Allowed: a whole number from 60 to 171900.
   *
   * @default 900
   */
  readonly allowedDrainTime?: number | undefined;

  /**
   * Seconds without news from an instance that boots after which its launch is ended and counts as a failed boot; a boot that goes on may take longer.
   *
   * While its boot log grows an instance says so every four minutes.
   *
   * Allowed: a whole number from 600 to 6900.
   *
   * @default 1800
   */
  readonly bootTimeout?: number | undefined;

  /**
   * Number of on-demand instances below the spot instances; null: on-demand only, which a warm pool needs.
   *
   * Allowed: null, or a whole number from 0 to 10000.
   *
   * @default null
   */
  readonly onDemandBaseCapacity?: number | null | undefined;

  /**
   * Percentage of on-demand instances above onDemandBaseCapacity; the others are spot instances.
   *
   * Allowed: a whole number from 0 to 100.
   *
   * @default 0
   */
  readonly onDemandPercentageAboveBase?: number | undefined;

  /**
   * Spot instances without a job are replaced when EC2 recommends it, because it may take them back soon.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly capacityRebalance?: boolean | undefined;

  /**
   * Instances that spot has no capacity for are launched on demand, in a second group; false before it is left out again.
   *
   * Allowed: true or false.
   *
   * @default no second group
   */
  readonly onDemandFallback?: boolean | undefined;

  /**
   * A job that failed because EC2 took its spot instance back is run again, once; it needs the right Actions: write.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly rerunInterruptedJobs?: boolean | undefined;

  /**
   * Minimum number of hibernated instances in the warm pool.
   *
   * Allowed: a whole number from 0 to 10000.
   *
   * @default idleRunnersTargetCount + 1, at most warmPoolMaxSize
   */
  readonly warmPoolMinSize?: number | undefined;

  /**
   * Maximum number of prepared instances, group and warm pool together; 0: no warm pool.
   *
   * Allowed: a whole number from 0 to 10000.
   *
   * @default asgMaxSize, or no warm pool if AWS does not list imageFamily or instanceType for hibernation
   */
  readonly warmPoolMaxSize?: number | undefined;

  /**
   * Instance type of the runners.
   *
   * Allowed: an instance type, e.g. m6i.large.
   *
   * @default t3a.medium, on arm64 t4g.medium
   */
  readonly instanceType?: string | undefined;

  /**
   * Several instance types, the preferred one first: another is taken when there is no capacity of it; without a warm pool.
   *
   * Allowed: a list of instance types, e.g. m6i.large.
   *
   * @default none
   */
  readonly instanceTypes?: readonly string[] | undefined;

  /**
   * Requirements that an instance type has to meet, instead of instanceType and instanceTypes: AWS takes any that meets them and runs the image; without a warm pool.
   *
   * Allowed: a map of vcpu_count and memory_mib (each a map of min and, if wanted, max), and, if wanted, instance_generations (a list of current, previous), excluded_instance_types or allowed_instance_types (lists of instance types, with * for any text), burstable_performance (included, excluded or required), spot_max_price_percentage_over_lowest_price, on_demand_max_price_percentage_over_lowest_price (per cent).
   *
   * @default none
   */
  readonly instanceRequirements?: InstanceRequirements | undefined;

  /**
   * New instances take the image that a parameter names, at first the one they would have; `drover image bake` makes one that boots faster.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly bakedImage?: boolean | undefined;

  /**
   * Days after which a function of the fleet bakes a new image of each group with bakedImage, and tries it; also after a change of what it is made of.
   *
   * Allowed: a whole number from 1 to 90.
   *
   * @default none: images are baked by `drover image bake` alone
   */
  readonly imageBakeDays?: number | undefined;

  /**
   * Size of the root volume in GiB; with a warm pool at least the memory + 10.
   *
   * Allowed: a whole number from 8 to 16384.
   *
   * @default 30
   */
  readonly rootVolumeSize?: number | undefined;

  /**
   * KMS key of the volumes; its policy has to allow the service-linked role of Auto Scaling.
   *
   * Allowed: the ARN of a key (arn:aws:kms:…:key/…).
   *
   * @default the account's default key for EBS
   */
  readonly kmsKeyArn?: string | undefined;

  /**
   * EC2 metrics of the instances every minute instead of every five, which AWS charges for by the hour.
   *
   * Allowed: true or false.
   *
   * @default true; false with scalingMode: jobs
   */
  readonly detailedMonitoring?: boolean | undefined;

  /**
   * Credits of T instances; with standard a long build is slowed down, with unlimited it costs more.
   *
   * Allowed: one of standard, unlimited.
   *
   * @default that of the account and family: unlimited for T3, T3a and T4g unless the account's default was changed
   */
  readonly cpuCredits?: 'standard' | 'unlimited' | undefined;

  /**
   * Days after which an instance is replaced, once it has no job; 0: never.
   *
   * Allowed: a whole number from 0 to 365.
   *
   * @default 30
   */
  readonly maxInstanceLifetimeDays?: number | undefined;

  /**
   * Labels of every runner in addition to the standard ones.
   *
   * Allowed: a list of labels without spaces and commas.
   *
   * @default none
   */
  readonly extraLabels?: readonly string[] | undefined;

  /**
   * Name of the runner group that the runners join; repositories have none.
   *
   * Allowed: the name of a runner group.
   *
   * @default none
   */
  readonly runnerGroup?: string | undefined;

  /**
   * Version of the runner software; latest: the newest release is mirrored and rolls through the fleet. GitHub gives no jobs to a version that is more than 30 days behind.
   *
   * Allowed: latest, or x.y.z from 2.329.0 on, which is the oldest version that GitHub registers.
   *
   * @default latest
   */
  readonly runnerVersion?: string | undefined;

  /**
   * SHA-256 of the runner's archive, from its release notes; belongs to a runnerVersion other than latest.
   *
   * Allowed: 64 hexadecimal digits in quotes, not all of them 0.
   *
   * @default none
   */
  readonly runnerChecksum?: string | undefined;

  /**
   * Address of the latest release of actions/runner, for runnerVersion latest; a mirror has the same form.
   *
   * Allowed: an http(s) address without a slash at the end.
   *
   * @default https://api.github.com/repos/actions/runner/releases/latest
   */
  readonly runnerReleaseUrl?: string | undefined;

  /**
   * Day on which that version was released; adds the metric RunnerVersionAgeDays.
   *
   * Allowed: a day as YYYY-MM-DD.
   *
   * @default none
   */
  readonly runnerReleaseDate?: string | undefined;

  /**
   * Jobs have Docker, for container:, services: and Docker actions; they can use it to act with the instance's role.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly docker?: boolean | undefined;

  /**
   * A pull-through mirror of Docker Hub that asks for no login, for the Docker of instances; needs docker.
   *
   * Allowed: an address https://HOST or http://HOST:PORT without a path.
   *
   * @default Docker Hub itself
   */
  readonly dockerRegistryMirror?: string | undefined;

  /**
   * Makes a bucket for caches of jobs, and a role for each repository of cacheRepositories.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly cacheBucket?: boolean | undefined;

  /**
   * Days after which an object of the cache bucket is deleted.
   *
   * Allowed: a whole number from 1 to 365.
   *
   * @default 10
   */
  readonly cacheDays?: number | undefined;

  /**
   * Repositories whose jobs may use the cache bucket, each below a prefix of its own; spelt as GitHub shows them.
   *
   * Allowed: a list of repositories as OWNER/NAME.
   *
   * @default none
   */
  readonly cacheRepositories?: readonly string[] | undefined;

  /**
   * The identity provider of GitHub's OIDC tokens in the account, which jobs take the role of their repository with.
   *
   * Allowed: the ARN of an identity provider (arn:aws:iam::…:oidc-provider/token.actions.githubusercontent.com).
   *
   * @default none
   */
  readonly cacheOidcProviderArn?: string | undefined;

  /**
   * Before each job of idle mode processes of earlier jobs are ended and their changes to .env, .path and git undone.
   *
   * Allowed: true or false.
   *
   * @default true
   */
  readonly cleanBetweenJobs?: boolean | undefined;

  /**
   * Jobs may run any command as root by sudo; they can use it to act with the instance's role.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly passwordlessSudo?: boolean | undefined;

  /**
   * Prefix of the functions' log groups.
   *
   * Allowed: a log group prefix.
   *
   * @default /aws/lambda
   */
  readonly functionLogPrefix?: string | undefined;

  /**
   * Days for which logs are kept.
   *
   * Allowed: one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653.
   *
   * @default 365
   */
  readonly logRetentionDays?: number | undefined;

  /**
   * A KMS key of the fleet encrypts logs and messages of alarms; false: CloudWatch Logs has a key of its own, messages have none at rest.
   *
   * Allowed: true or false.
   *
   * @default true
   */
  readonly ownLogKey?: boolean | undefined;

  /**
   * First part of the metric namespace <vendor>/ActionsRunner.
   *
   * Allowed: letters, digits, - and _.
   *
   * @default Drover
   */
  readonly vendor?: string | undefined;

  /**
   * Tags on every resource.
   *
   * Allowed: a map of tag keys (at most 128 characters, not beginning with aws:) to texts.
   *
   * @default none
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;

  /**
   * Further types of runners, each with a group and a scale set <groupName>-<type>; for scalingMode jobs.
   *
   * Allowed: a map of names in lower case of at most 15 letters, digits and - to maps of what differs from the fleet.
   *
   * @default none
   */
  readonly types?: Readonly<Record<string, RunnerTypeProps>> | undefined;
}

/** The inputs of a fleet by ids and texts alone, as a configuration file has them. */
export type RunnerFleetInputs = Omit<RunnerFleetProps, 'level' | 'network' | 'credentials' | 'extraSecurityGroups'> &
  LevelInputs &
  NetworkIds &
  CredentialInputs;
