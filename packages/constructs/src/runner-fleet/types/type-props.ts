import type { ImageFamily } from '../../boot/images.ts';
import type { InstanceRequirements } from '../../inputs/instance-requirements.ts';
import type { ExtraFile, ExtraRepo } from '../../inputs/shared-props.ts';

/** A type of runners of a fleet: how its machines differ from those of the fleet. What is left out is the fleet's, unless a default is given here. */
export interface RunnerTypeProps {
  /** Instance type. */
  readonly instanceType?: string | undefined;

  /** Instance types in the order of preference, instead of instanceType. */
  readonly instanceTypes?: readonly string[] | undefined;

  /** Requirements that an instance type has to meet, instead of instanceType and instanceTypes. */
  readonly instanceRequirements?: InstanceRequirements | undefined;

  /** Processor architecture; with another one than the fleet's, its instance types and image are not taken over. */
  readonly architecture?: 'x86_64' | 'arm64' | undefined;

  /** Machine image, made from the distribution imageFamily. */
  readonly amiId?: string | undefined;

  /** Distribution of the image. */
  readonly imageFamily?: ImageFamily | undefined;

  /** Instances are launched from the image that a parameter names. */
  readonly bakedImage?: boolean | undefined;

  /** Root device of the image. */
  readonly rootDeviceName?: string | undefined;

  /** Size of the root volume in GiB. */
  readonly rootVolumeSize?: number | undefined;

  /** Key that encrypts the root volume. */
  readonly kmsKeyArn?: string | undefined;

  /** Credits of T instances. */
  readonly cpuCredits?: 'standard' | 'unlimited' | undefined;

  /**
   * Smallest number of instances.
   *
   * @default 0
   */
  readonly asgMinSize?: number | undefined;

  /** Largest number of instances. */
  readonly asgMaxSize?: number | undefined;

  /**
   * Number of idle runners that are kept beside those with a job.
   *
   * @default 0
   */
  readonly idleRunnersTargetCount?: number | undefined;

  /** Number of on-demand instances above which spot instances are used; null: none. */
  readonly onDemandBaseCapacity?: number | null | undefined;

  /** Percentage of on-demand instances above it. */
  readonly onDemandPercentageAboveBase?: number | undefined;

  /** Instances that spot has no capacity for are launched on demand, in a second group of the type. */
  readonly onDemandFallback?: boolean | undefined;

  /** A job that failed because EC2 took its spot instance back is run again, once. */
  readonly rerunInterruptedJobs?: boolean | undefined;

  /** Labels of the scale set beside its name. No other type may have one of them.
   *
   * @default none
   */
  readonly extraLabels?: readonly string[] | undefined;

  /** Runner group of the type's runners. */
  readonly runnerGroup?: string | undefined;

  /** Jobs have Docker. */
  readonly docker?: boolean | undefined;

  /** Jobs may run any command as root by sudo. */
  readonly passwordlessSudo?: boolean | undefined;

  /** Packages that are installed at boot. */
  readonly packages?: readonly string[] | undefined;

  /** Files that are written at boot. */
  readonly extraFiles?: Readonly<Record<string, string | ExtraFile>> | undefined;

  /** Package repositories. */
  readonly extraRepos?: Readonly<Record<string, string | ExtraRepo>> | undefined;

  /** Commands that run as root after Puppet. */
  readonly postRuncmd?: readonly string[] | undefined;

  /**
   * Managed policies of the role of the type's instances.
   *
   * @default none
   */
  readonly extraPolicies?: readonly string[] | undefined;
}
