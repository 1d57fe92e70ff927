import type { AddressProps, AlarmProps, MachineProps } from '../inputs/shared-props.ts';

/** Props of `SearchUi`: the inputs of docs/CONFIGURATION.md in camelCase. */
export interface SearchUiProps extends AddressProps, Pick<MachineProps, 'architecture'>, AlarmProps {
  /** Version of this module for which the configuration was written. */
  readonly version: string;

  /** Name of the environment, e.g. production. */
  readonly environment: string;

  /** URL of the search cluster: its output cluster_url or cluster_master_url. */
  readonly elasticsearchUrl: string;

  /** Version of Elasticsearch that the cluster runs. */
  readonly elasticsearchVersion: string;

  /** Secret with the password of kibana_system: the output of the cluster with this name. */
  readonly kibanaSystemSecretId: string;

  /**
   * Secret with a token of the service account elastic/kibana, to log in with instead of the password.
   *
   * @default none
   */
  readonly kibanaTokenSecretId?: string | undefined;

  /** Id of the VPC that the subnets belong to. */
  readonly vpcId: string;

  /** Subnets of the tasks; they need internet access through NAT. */
  readonly subnetIds: readonly string[];

  /**
   * Security groups of the tasks beside their own, e.g. one in clientSecurityGroupIds of the cluster.
   *
   * @default none
   */
  readonly taskSecurityGroupIds?: readonly string[] | undefined;

  /**
   * Version of Kibana: the same major version as the cluster, and not newer than it.
   *
   * @default elasticsearchVersion
   */
  readonly kibanaVersion?: string | undefined;

  /**
   * Container image of Kibana without its tag.
   *
   * @default docker.elastic.co/kibana/kibana
   */
  readonly kibanaImage?: string | undefined;

  /**
   * Number of tasks.
   *
   * @default 2
   */
  readonly taskCount?: number | undefined;

  /**
   * CPU units of a task.
   *
   * @default 1024
   */
  readonly taskCpu?: number | undefined;

  /**
   * Memory of a task in MiB: a size that Fargate offers for its CPU units.
   *
   * @default 2048, or twice taskCpu
   */
  readonly taskMemory?: number | undefined;

  /**
   * Tags on every resource.
   *
   * @default none
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}
