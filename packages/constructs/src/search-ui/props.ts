import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { AddressInputs, AddressProps, AlarmProps, MachineProps } from '../inputs/shared-props.ts';
import type { KibanaCredentials, KibanaInputs } from '../props/kibana-credentials.ts';
import type { Network, NetworkIds } from '../props/network.ts';

/** Props of `SearchUi`: the inputs of docs/CONFIGURATION.md in camelCase, what belongs together as one object. */
export interface SearchUiProps extends AddressProps, Pick<MachineProps, 'architecture'>, AlarmProps {
  /**
   * Version of this module for which the configuration was written.
   *
   * Allowed: x.y.z.
   */
  readonly version: string;

  /**
   * Name of the environment, e.g. production.
   *
   * Allowed: letters, digits, - and _, at most 32.
   */
  readonly environment: string;

  /**
   * URL of the search cluster: its output cluster_url or cluster_master_url.
   *
   * Allowed: an http(s) address without a path.
   */
  readonly elasticsearchUrl: string;

  /**
   * Version of Elasticsearch that the cluster runs.
   *
   * Allowed: x.y.z, from 8.18.0 on and before 10.0.0.
   */
  readonly elasticsearchVersion: string;

  /** How Kibana logs in to the cluster. */
  readonly credentials: KibanaCredentials;

  /** VPC and subnets of the tasks; they need internet access through NAT. */
  readonly network: Network;

  /**
   * Security groups of the tasks beside their own, e.g. one in clientSecurityGroupIds of the cluster.
   *
   * Allowed: a list of ids of security groups (sg-…).
   *
   * @default none
   */
  readonly taskSecurityGroupIds?: readonly string[] | undefined;

  /**
   * Security groups of the app instead of their ids in taskSecurityGroupIds.
   *
   * @default none
   */
  readonly taskSecurityGroups?: readonly ISecurityGroup[] | undefined;

  /**
   * Version of Kibana: the same major version as the cluster, and not newer than it.
   *
   * Allowed: x.y.z, from 8.18.0 on and before 10.0.0.
   *
   * @default elasticsearchVersion
   */
  readonly kibanaVersion?: string | undefined;

  /**
   * Container image of Kibana without its tag.
   *
   * Allowed: the name of an image, e.g. docker.elastic.co/kibana/kibana.
   *
   * @default docker.elastic.co/kibana/kibana
   */
  readonly kibanaImage?: string | undefined;

  /**
   * Number of tasks.
   *
   * Allowed: a whole number from 1 to 10.
   *
   * @default 2
   */
  readonly taskCount?: number | undefined;

  /**
   * CPU units of a task.
   *
   * Allowed: one of 512, 1024, 2048, 4096.
   *
   * @default 1024
   */
  readonly taskCpu?: number | undefined;

  /**
   * Memory of a task in MiB: a size that Fargate offers for its CPU units.
   *
   * Allowed: a whole number from 1024 to 30720.
   *
   * @default 2048, or twice taskCpu
   */
  readonly taskMemory?: number | undefined;

  /**
   * Tags on every resource.
   *
   * Allowed: a map of tag keys (at most 128 characters, not beginning with aws:) to texts.
   *
   * @default none
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** The inputs of a web UI by ids and texts alone, as a configuration file has them. */
export type SearchUiInputs = Omit<
  SearchUiProps,
  'network' | 'credentials' | 'taskSecurityGroups' | keyof AddressProps
> &
  NetworkIds &
  AddressInputs &
  KibanaInputs;
