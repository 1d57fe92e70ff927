import type { SnapshotPolicyInput } from '@drover/core/names/search-cluster';
import type { SettingValue } from '../inputs/fields.ts';
import type {
  AddressInputs,
  AddressProps,
  AlarmProps,
  ConfigurationProps,
  MachineProps,
} from '../inputs/shared-props.ts';
import type { Network, NetworkIds } from '../props/network.ts';
import type { NodeGroupProps } from './groups/group-props.ts';

/** Props of `SearchCluster`: the inputs of docs/CONFIGURATION.md in camelCase, what belongs together as one object. */
export interface SearchClusterProps extends AddressProps, MachineProps, ConfigurationProps, AlarmProps {
  /**
   * Name of the cluster, from which the names of its groups and addresses are derived.
   *
   * Allowed: lower-case letters, digits and -, beginning with a letter, at most 40.
   */
  readonly clusterName: string;

  /**
   * Name of the environment, e.g. production.
   *
   * Allowed: letters, digits, - and _, at most 32.
   */
  readonly environment: string;

  /**
   * The names of groups, functions, alarms and metrics contain the environment; cannot be changed later.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly namesWithEnvironment?: boolean | undefined;

  /** VPC and subnets of the nodes, in several availability zones. */
  readonly network: Network;

  /**
   * Address range from which the metrics exporters may be scraped.
   *
   * Allowed: an address range, e.g. 10.0.0.0/16.
   *
   * @default vpcCidrBlock
   */
  readonly monitoringCidrBlock?: string | undefined;

  /**
   * Number of master nodes.
   *
   * Allowed: one of 1, 3, 5, 7.
   *
   * @default 3
   */
  readonly masterCount?: number | undefined;

  /**
   * Number of data nodes.
   *
   * Allowed: a whole number from 1 to 200.
   *
   * @default 3
   */
  readonly dataCount?: number | undefined;

  /**
   * Groups of nodes by name: master, data, and further ones with a tier of data; drover cluster roll brings other roles to nodes that run.
   *
   * Allowed: a map of master, data and names of at most 16 lower-case letters and digits to maps of what the group has.
   *
   * @default master and data, as the other inputs say
   */
  readonly nodeGroups?: Readonly<Record<string, NodeGroupProps>> | undefined;

  /**
   * Instance type of the master nodes.
   *
   * Allowed: an instance type, e.g. m6i.large.
   *
   * @default t3a.medium, on arm64 t4g.medium
   */
  readonly instanceTypeMaster?: string | undefined;

  /**
   * Instance type of the data nodes.
   *
   * Allowed: an instance type, e.g. m6i.large.
   *
   * @default m6i.large, on arm64 m7g.large
   */
  readonly instanceTypeData?: string | undefined;

  /**
   * Machine image of the instances, made from the distribution imageFamily.
   *
   * Allowed: an image id (ami-…).
   *
   * @default Canonical's Ubuntu 24.04 as it was current in the first deployment, or when amiRelease changed
   */
  readonly amiId?: string | undefined;

  /**
   * Any text, e.g. 2026-11: with a new one the next deployment takes the image that is current then.
   *
   * Allowed: letters, digits and _.:-, at most 64.
   *
   * @default none
   */
  readonly amiRelease?: string | undefined;

  /**
   * Size of the volume of a master node in GiB.
   *
   * Allowed: a whole number from 8 to 16384.
   *
   * @default 30
   */
  readonly masterVolumeSize?: number | undefined;

  /**
   * Size of the volume of a data node in GiB.
   *
   * Allowed: a whole number from 8 to 16384.
   *
   * @default 200
   */
  readonly dataVolumeSize?: number | undefined;

  /**
   * The data of Elasticsearch is on a volume of its own, and the system on another of 30 GiB.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly separateDataVolume?: boolean | undefined;

  /**
   * Size in GiB up to which the volumes of the data nodes grow by themselves, half as large again at a time, when the disks of the group have been above the low watermark for an hour.
   *
   * Allowed: a whole number from 8 to 16384.
   *
   * @default they grow by the command drover cluster grow alone
   */
  readonly dataVolumeMaxSize?: number | undefined;

  /**
   * IOPS of the volume with a data node's data.
   *
   * Allowed: a whole number from 3000 to 80000.
   *
   * @default what gp3 has without extra charge: 3,000
   */
  readonly dataVolumeIops?: number | undefined;

  /**
   * Throughput of the volume with a data node's data in MiB/s; at most a quarter of its IOPS.
   *
   * Allowed: a whole number from 125 to 2000.
   *
   * @default what gp3 has without extra charge: 125
   */
  readonly dataVolumeThroughput?: number | undefined;

  /**
   * KMS key of the volumes; its policy has to allow the service-linked role of Auto Scaling.
   *
   * Allowed: the ARN of a key (arn:aws:kms:…:key/…).
   *
   * @default the account's default key for EBS
   */
  readonly kmsKeyArn?: string | undefined;

  /**
   * Version of Elasticsearch.
   *
   * Allowed: x.y.z, from 8.18.0 on and before 10.0.0.
   *
   * @default 8.19.21
   */
  readonly elasticsearchVersion?: string | undefined;

  /**
   * Lock the memory of Elasticsearch, so that it is never swapped out.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly memoryLock?: boolean | undefined;

  /**
   * Largest heap of a node in GiB, up to which half of the memory is heap; none: no limit.
   *
   * Allowed: none, or a whole number from 1 to 512.
   *
   * @default 30
   */
  readonly heapMaxGib?: number | 'none' | undefined;

  /**
   * Bytes a second that recoveries copy on each node, in and out (indices.recovery.max_bytes_per_sec).
   *
   * Allowed: a size as Elasticsearch writes it, in mb or gb, e.g. 200mb.
   *
   * @default four tenths of what instanceTypeData and the volume can, at least 40mb
   */
  readonly indicesRecoveryMaxBytesPerSec?: string | undefined;

  /**
   * How long the copies of a node that was lost are waited for before they are built elsewhere (index.unassigned.node_left.delayed_timeout).
   *
   * Allowed: a time as Elasticsearch writes it, in s, m or h, e.g. 10m.
   *
   * @default 1m
   */
  readonly nodeLeftDelay?: string | undefined;

  /**
   * Copies of shards that a lost zone had stay unassigned until it is back, where they would crowd the other zones.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly forcedAwareness?: boolean | undefined;

  /**
   * Settings for elasticsearch.yml beside those of the module; a change reaches the nodes by drover cluster roll.
   *
   * Allowed: a map of names of settings to texts, numbers, true or false, or lists of texts.
   *
   * @default none
   */
  readonly elasticsearchSettings?: Readonly<Record<string, SettingValue>> | undefined;

  /**
   * Official plugins beside the module's own.
   *
   * Allowed: a list of names of plugins, e.g. analysis-icu.
   *
   * @default none
   */
  readonly elasticsearchPlugins?: readonly string[] | undefined;

  /**
   * Secure settings for the keystore, and the secrets that hold their values.
   *
   * Allowed: a map of names of settings to the ARN of a secret (arn:aws:secretsmanager:…:secret:…).
   *
   * @default none
   */
  readonly keystoreSecrets?: Readonly<Record<string, string>> | undefined;

  /**
   * Snapshot policies by id, kept as they are here; an empty map: none.
   *
   * Allowed: a map of ids to maps of schedule, expire, count, overdue.
   *
   * @default hourly, daily, weekly and monthly ones
   */
  readonly snapshotPolicies?: Readonly<Record<string, SnapshotPolicyInput>> | undefined;

  /**
   * Days between two restore drills, which restore one index of the newest snapshot and compare it; 0: none.
   *
   * Allowed: a whole number from 0 to 365.
   *
   * @default 7
   */
  readonly restoreDrillDays?: number | undefined;

  /**
   * Days for which a node signs its own certificate; it signs the next one 31 days before the end, without a restart.
   *
   * Allowed: a whole number from 62 to 3650.
   *
   * @default 3650
   */
  readonly nodeCertificateDays?: number | undefined;

  /**
   * Address of a mirror of artifacts.elastic.co, for packages, plugins and the key that signs them.
   *
   * Allowed: an http(s) address without a slash at the end.
   *
   * @default https://artifacts.elastic.co
   */
  readonly packageMirror?: string | undefined;

  /**
   * User that the exporter of metrics logs in as; one other than elastic is made, and may only monitor.
   *
   * Allowed: elastic, or the name of a user that is not built in.
   *
   * @default elastic
   */
  readonly exporterUser?: string | undefined;

  /**
   * Health and statistics can be read without a password (role anonymous_monitor).
   *
   * Allowed: true or false.
   *
   * @default true; with loadBalancerScheme internet-facing false
   */
  readonly anonymousMonitoring?: boolean | undefined;

  /**
   * How the web UI logs in; with service_token the cluster also keeps a token for it, output kibana_token_secret_id.
   *
   * Allowed: one of password, service_token.
   *
   * @default password
   */
  readonly kibanaAuth?: 'password' | 'service_token' | undefined;

  /**
   * Age in days at which the web UI's token and the password of an exporter's own user are replaced by themselves.
   *
   * Allowed: a whole number from 7 to 3650.
   *
   * @default never
   */
  readonly passwordRotationDays?: number | undefined;

  /**
   * The password of elastic is replaced after passwordRotationDays, too; it can be read as AWSPENDING a day before.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly rotateElastic?: boolean | undefined;

  /**
   * Prefix of the name of the snapshot bucket.
   *
   * Allowed: lower-case letters, digits and -, 3 to 50.
   *
   * @default <clusterName>-snapshots
   */
  readonly snapshotBucketPrefix?: string | undefined;

  /**
   * KMS key of new snapshots; its policy has to leave its use to IAM, and without it no snapshot can be restored.
   *
   * Allowed: the ARN of a key (arn:aws:kms:…:key/…).
   *
   * @default S3's own keys
   */
  readonly snapshotKmsKeyArn?: string | undefined;

  /**
   * A bucket of yours, in another region or account, to which the cluster writes a second set of snapshots each day.
   *
   * Allowed: the name of a bucket.
   *
   * @default no second set
   */
  readonly snapshotReplicaBucket?: string | undefined;

  /**
   * Region of snapshotReplicaBucket.
   *
   * Allowed: a region, e.g. eu-central-1.
   *
   * @default that of the cluster
   */
  readonly snapshotReplicaRegion?: string | undefined;

  /**
   * Delete the snapshots and their bucket together with the stack.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly snapshotForceDestroy?: boolean | undefined;

  /**
   * Minutes for which a deployment waits for a green cluster before it fails; 0: it does not wait.
   *
   * Allowed: a whole number from 0 to 50.
   *
   * @default 45
   */
  readonly greenWithinMinutes?: number | undefined;

  /**
   * Days after which a node is replaced; 0: never.
   *
   * Allowed: a whole number from 0 to 365.
   *
   * @default 0
   */
  readonly maxInstanceLifetimeDays?: number | undefined;

  /**
   * Tags on every resource.
   *
   * Allowed: a map of tag keys (at most 128 characters, not beginning with aws:) to texts.
   *
   * @default none
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** The inputs of a cluster by ids and texts alone, as a configuration file has them. */
export type SearchClusterInputs = Omit<SearchClusterProps, 'network' | keyof AddressProps> & NetworkIds & AddressInputs;
