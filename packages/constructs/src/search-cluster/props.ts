import type { SnapshotPolicyInput } from '@drover/core/names/search-cluster';
import type { SettingValue } from '../inputs/fields.ts';
import type { AddressProps, AlarmProps, ConfigurationProps, MachineProps } from '../inputs/shared-props.ts';

/** Props of `SearchCluster`: the inputs of docs/CONFIGURATION.md in camelCase. */
export interface SearchClusterProps extends AddressProps, MachineProps, ConfigurationProps, AlarmProps {
  /** Name of the cluster, from which the names of its groups and addresses are derived. */
  readonly clusterName: string;

  /** Name of the environment, e.g. production. */
  readonly environment: string;

  /**
   * The names of groups, functions, alarms and metrics contain the environment; cannot be changed later.
   *
   * @default false
   */
  readonly namesWithEnvironment?: boolean | undefined;

  /** Id of the VPC that the subnets belong to. */
  readonly vpcId: string;

  /** Subnets of the nodes, in several availability zones. */
  readonly subnetIds: readonly string[];

  /**
   * Address range from which the metrics exporters may be scraped.
   *
   * @default vpcCidrBlock
   */
  readonly monitoringCidrBlock?: string | undefined;

  /**
   * Number of master nodes.
   *
   * @default 3
   */
  readonly masterCount?: number | undefined;

  /**
   * Number of data nodes.
   *
   * @default 3
   */
  readonly dataCount?: number | undefined;

  /**
   * Instance type of the master nodes.
   *
   * @default t3a.medium, on arm64 t4g.medium
   */
  readonly instanceTypeMaster?: string | undefined;

  /**
   * Instance type of the data nodes.
   *
   * @default m6i.large, on arm64 m7g.large
   */
  readonly instanceTypeData?: string | undefined;

  /**
   * Machine image of the instances, made from the distribution imageFamily.
   *
   * @default Canonical's Ubuntu 24.04 as it was current in the first deployment, or when amiRelease changed
   */
  readonly amiId?: string | undefined;

  /**
   * Any text, e.g. 2026-11: with a new one the next deployment takes the image that is current then.
   *
   * @default none
   */
  readonly amiRelease?: string | undefined;

  /**
   * Size of the volume of a master node in GiB.
   *
   * @default 30
   */
  readonly masterVolumeSize?: number | undefined;

  /**
   * Size of the volume of a data node in GiB.
   *
   * @default 200
   */
  readonly dataVolumeSize?: number | undefined;

  /**
   * The data of Elasticsearch is on a volume of its own, and the system on another of 30 GiB.
   *
   * @default false
   */
  readonly separateDataVolume?: boolean | undefined;

  /**
   * IOPS of the volume with a data node's data.
   *
   * @default what gp3 has without extra charge: 3,000
   */
  readonly dataVolumeIops?: number | undefined;

  /**
   * Throughput of the volume with a data node's data in MiB/s; at most a quarter of its IOPS.
   *
   * @default what gp3 has without extra charge: 125
   */
  readonly dataVolumeThroughput?: number | undefined;

  /**
   * KMS key of the volumes; its policy has to allow the service-linked role of Auto Scaling.
   *
   * @default the account's default key for EBS
   */
  readonly kmsKeyArn?: string | undefined;

  /**
   * Version of Elasticsearch.
   *
   * @default 8.19.21
   */
  readonly elasticsearchVersion?: string | undefined;

  /**
   * Lock the memory of Elasticsearch, so that it is never swapped out.
   *
   * @default false
   */
  readonly memoryLock?: boolean | undefined;

  /**
   * Largest heap of a node in GiB, up to which half of the memory is heap; none: no limit.
   *
   * @default 30
   */
  readonly heapMaxGib?: number | 'none' | undefined;

  /**
   * Bytes a second that recoveries copy on each node, in and out (indices.recovery.max_bytes_per_sec).
   *
   * @default four tenths of what instanceTypeData and the volume can, at least 40mb
   */
  readonly indicesRecoveryMaxBytesPerSec?: string | undefined;

  /**
   * Copies of shards that a lost zone had stay unassigned until it is back, where they would crowd the other zones.
   *
   * @default false
   */
  readonly forcedAwareness?: boolean | undefined;

  /**
   * Settings for elasticsearch.yml beside those of the module; a change replaces the nodes.
   *
   * @default none
   */
  readonly elasticsearchSettings?: Readonly<Record<string, SettingValue>> | undefined;

  /**
   * Official plugins beside the module's own.
   *
   * @default none
   */
  readonly elasticsearchPlugins?: readonly string[] | undefined;

  /**
   * Secure settings for the keystore, and the secrets that hold their values.
   *
   * @default none
   */
  readonly keystoreSecrets?: Readonly<Record<string, string>> | undefined;

  /**
   * Snapshot policies by id, kept as they are here; an empty map: none.
   *
   * @default hourly, daily, weekly and monthly ones
   */
  readonly snapshotPolicies?: Readonly<Record<string, SnapshotPolicyInput>> | undefined;

  /**
   * Days between two restore drills, which restore one index of the newest snapshot and compare it; 0: none.
   *
   * @default 7
   */
  readonly restoreDrillDays?: number | undefined;

  /**
   * Address of a mirror of artifacts.elastic.co, for packages, plugins and the key that signs them.
   *
   * @default https://artifacts.elastic.co
   */
  readonly packageMirror?: string | undefined;

  /**
   * User that the exporter of metrics logs in as; one other than elastic is made, and may only monitor.
   *
   * @default elastic
   */
  readonly exporterUser?: string | undefined;

  /**
   * Health and statistics can be read without a password (role anonymous_monitor).
   *
   * @default true; with loadBalancerScheme internet-facing false
   */
  readonly anonymousMonitoring?: boolean | undefined;

  /**
   * How the web UI logs in; with service_token the cluster also keeps a token for it, output kibana_token_secret_id.
   *
   * @default password
   */
  readonly kibanaAuth?: 'password' | 'service_token' | undefined;

  /**
   * Prefix of the name of the snapshot bucket.
   *
   * @default <clusterName>-snapshots
   */
  readonly snapshotBucketPrefix?: string | undefined;

  /**
   * Delete the snapshots and their bucket together with the stack.
   *
   * @default false
   */
  readonly snapshotForceDestroy?: boolean | undefined;

  /**
   * Minutes for which a deployment waits for a green cluster before it fails; 0: it does not wait.
   *
   * @default 45
   */
  readonly greenWithinMinutes?: number | undefined;

  /**
   * Days after which a node is replaced; 0: never.
   *
   * @default 0
   */
  readonly maxInstanceLifetimeDays?: number | undefined;

  /**
   * Tags on every resource.
   *
   * @default none
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}
