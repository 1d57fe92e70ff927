import type { AddressProps, AlarmProps, ConfigurationProps, MachineProps } from '../inputs/shared-props.ts';

/** Props of `SearchCluster`: the inputs of docs/CONFIGURATION.md in camelCase. */
export interface SearchClusterProps extends AddressProps, MachineProps, ConfigurationProps, AlarmProps {
  /** Name of the cluster, from which the names of its groups and addresses are derived. */
  readonly clusterName: string;

  /** Name of the environment, e.g. production. */
  readonly environment: string;

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
