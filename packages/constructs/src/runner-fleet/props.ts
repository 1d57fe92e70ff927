import type { IdleTargetSchedule, ScalingMode } from '@drover/core/names/runner-fleet';
import type { AlarmProps, ConfigurationProps, MachineProps } from '../inputs/shared-props.ts';

/** Props of `RunnerFleet`: the inputs of docs/CONFIGURATION.md in camelCase. */
export interface RunnerFleetProps extends MachineProps, ConfigurationProps, AlarmProps {
  /** Name of the environment, e.g. production. */
  readonly environment: string;

  /**
   * GitHub organisation that the runners belong to.
   *
   * @default none
   */
  readonly platformOrg?: string | undefined;

  /**
   * Repository that the runners belong to, instead of an organisation.
   *
   * @default none
   */
  readonly platformRepository?: string | undefined;

  /**
   * Enterprise that the runners belong to, instead of an organisation.
   *
   * @default none
   */
  readonly platformEnterprise?: string | undefined;

  /** Id of the VPC that the subnets belong to. */
  readonly vpcId: string;

  /** Subnets of the runners. */
  readonly subnetIds: readonly string[];

  /**
   * Name of the Auto Scaling group.
   *
   * @default actions-runner-<environment>
   */
  readonly groupName?: string | undefined;

  /**
   * Base URL of the GitHub API; /api/v3 of a GitHub Enterprise Server, api.SUBDOMAIN.ghe.com with data residency.
   *
   * @default https://api.github.com
   */
  readonly platformApi?: string | undefined;

  /**
   * Secret with a personal access token (classic) that has the scope admin:org, for a repository repo, for an enterprise manage_runners:enterprise.
   *
   * @default none
   */
  readonly platformTokenSecretArn?: string | undefined;

  /**
   * Id of the GitHub App that authenticates, instead of a token.
   *
   * @default none
   */
  readonly platformAppId?: string | undefined;

  /**
   * Secret with the private key of the GitHub App (PEM).
   *
   * @default none
   */
  readonly platformAppPemSecretArn?: string | undefined;

  /**
   * Subnets of the functions; they need internet access through NAT.
   *
   * @default subnetIds, if runnerSubnetsPrivate is true
   */
  readonly lambdaSubnetIds?: readonly string[] | undefined;

  /**
   * The runner subnets have internet access through NAT, so that the functions can use them too.
   *
   * @default false
   */
  readonly runnerSubnetsPrivate?: boolean | undefined;

  /**
   * Security groups of runners and functions in addition to their own.
   *
   * @default none
   */
  readonly extraSecurityGroupIds?: readonly string[] | undefined;

  /**
   * Proxy of runners and functions for http addresses.
   *
   * @default none
   */
  readonly httpProxy?: string | undefined;

  /**
   * Proxy of runners and functions for https addresses.
   *
   * @default none
   */
  readonly httpsProxy?: string | undefined;

  /**
   * Hosts that are reached without the proxy; .example.com is all names below it.
   *
   * @default none
   */
  readonly noProxy?: readonly string[] | undefined;

  /**
   * Certificates (PEM) of private authorities that runners and functions trust.
   *
   * @default none
   */
  readonly caCertificates?: string | undefined;

  /**
   * Managed policy that is the permissions boundary of every role of the fleet.
   *
   * @default none
   */
  readonly permissionsBoundaryArn?: string | undefined;

  /**
   * On what the fleet scales: idle keeps runners ready that take one job after the other, jobs starts a fresh machine for each job that waits.
   *
   * @default idle
   */
  readonly scalingMode?: ScalingMode | undefined;

  /**
   * Minimum number of runners.
   *
   * @default number of subnets
   */
  readonly asgMinSize?: number | undefined;

  /**
   * Maximum number of runners.
   *
   * @default asgMinSize + 1
   */
  readonly asgMaxSize?: number | undefined;

  /**
   * Number of idle runners to keep ready; 0 only with scalingMode jobs.
   *
   * @default 1
   */
  readonly idleRunnersTargetCount?: number | undefined;

  /**
   * Other idle targets from times on: each schedule holds from when its cron expression fires until another one fires.
   *
   * @default none
   */
  readonly idleTargetSchedules?: readonly IdleTargetSchedule[] | undefined;

  /**
   * Most runners that one scaling decision adds while no runner is idle; never below the idle target; not with scalingMode jobs.
   *
   * @default 10
   */
  readonly scaleUpLimit?: number | undefined;

  /**
   * Seconds that a running job may continue once the termination of its instance has begun.
   *
   * @default 900
   */
  readonly allowedDrainTime?: number | undefined;

  /**
   * Seconds without news from an instance that boots after which its launch is ended and counts as a failed boot; a boot that goes on may take longer.
   *
   * While its boot log grows an instance says so every four minutes.
   *
   * @default 1800
   */
  readonly bootTimeout?: number | undefined;

  /**
   * Number of on-demand instances below the spot instances; null: on-demand only, which a warm pool needs.
   *
   * @default null
   */
  readonly onDemandBaseCapacity?: number | null | undefined;

  /**
   * Percentage of on-demand instances above onDemandBaseCapacity; the others are spot instances.
   *
   * @default 0
   */
  readonly onDemandPercentageAboveBase?: number | undefined;

  /**
   * Spot instances without a job are replaced when EC2 recommends it, because it may take them back soon.
   *
   * @default false
   */
  readonly capacityRebalance?: boolean | undefined;

  /**
   * Minimum number of hibernated instances in the warm pool.
   *
   * @default idleRunnersTargetCount + 1, at most warmPoolMaxSize
   */
  readonly warmPoolMinSize?: number | undefined;

  /**
   * Maximum number of prepared instances, group and warm pool together; 0: no warm pool.
   *
   * @default asgMaxSize, or no warm pool if AWS does not list imageFamily or instanceType for hibernation
   */
  readonly warmPoolMaxSize?: number | undefined;

  /**
   * Instance type of the runners.
   *
   * @default t3a.medium, on arm64 t4g.medium
   */
  readonly instanceType?: string | undefined;

  /**
   * Several instance types, the preferred one first: another is taken when there is no capacity of it; without a warm pool.
   *
   * @default none
   */
  readonly instanceTypes?: readonly string[] | undefined;

  /**
   * Size of the root volume in GiB; with a warm pool at least the memory + 10.
   *
   * @default 30
   */
  readonly rootVolumeSize?: number | undefined;

  /**
   * KMS key of the volumes; its policy has to allow the service-linked role of Auto Scaling.
   *
   * @default the account's default key for EBS
   */
  readonly kmsKeyArn?: string | undefined;

  /**
   * EC2 metrics of the instances every minute instead of every five, which AWS charges for by the hour.
   *
   * @default true; false with scalingMode: jobs
   */
  readonly detailedMonitoring?: boolean | undefined;

  /**
   * Credits of T instances; with standard a long build is slowed down, with unlimited it costs more.
   *
   * @default that of the account and family: unlimited for T3, T3a and T4g unless the account's default was changed
   */
  readonly cpuCredits?: 'standard' | 'unlimited' | undefined;

  /**
   * Days after which an instance is replaced, once it has no job; 0: never.
   *
   * @default 30
   */
  readonly maxInstanceLifetimeDays?: number | undefined;

  /**
   * Labels of every runner in addition to the standard ones.
   *
   * @default none
   */
  readonly extraLabels?: readonly string[] | undefined;

  /**
   * Name of the runner group that the runners join; repositories have none.
   *
   * @default none
   */
  readonly runnerGroup?: string | undefined;

  /**
   * Version of the runner software; latest: the newest release is mirrored and rolls through the fleet. GitHub gives no jobs to a version that is more than 30 days behind.
   *
   * @default latest
   */
  readonly runnerVersion?: string | undefined;

  /**
   * SHA-256 of the runner's archive, from its release notes; belongs to a runnerVersion other than latest.
   *
   * @default none
   */
  readonly runnerChecksum?: string | undefined;

  /**
   * Address of the latest release of actions/runner, for runnerVersion latest; a mirror has the same form.
   *
   * @default https://api.github.com/repos/actions/runner/releases/latest
   */
  readonly runnerReleaseUrl?: string | undefined;

  /**
   * Day on which that version was released; adds the metric RunnerVersionAgeDays.
   *
   * @default none
   */
  readonly runnerReleaseDate?: string | undefined;

  /**
   * Jobs have Docker, for container:, services: and Docker actions; they can use it to act with the instance's role.
   *
   * @default false
   */
  readonly docker?: boolean | undefined;

  /**
   * Jobs may run any command as root by sudo; they can use it to act with the instance's role.
   *
   * @default false
   */
  readonly passwordlessSudo?: boolean | undefined;

  /**
   * Prefix of the functions' log groups.
   *
   * @default /aws/lambda
   */
  readonly functionLogPrefix?: string | undefined;

  /**
   * Days for which logs are kept.
   *
   * @default 365
   */
  readonly logRetentionDays?: number | undefined;

  /**
   * First part of the metric namespace <vendor>/ActionsRunner.
   *
   * @default Drover
   */
  readonly vendor?: string | undefined;

  /**
   * Tags on every resource.
   *
   * @default none
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}
