/** A group of nodes: its machines, and for data nodes their tier. What is left out has a default. */
export interface NodeGroupProps {
  /** Tier of the data: content holds what has no age, hot takes new data as well. */
  readonly tier?: 'content' | 'hot' | 'warm' | 'cold' | 'frozen' | undefined;

  /** Roles of the nodes as Elasticsearch names them, instead of a tier. */
  readonly roles?: readonly string[] | undefined;

  /** The licence that the cluster has, which nothing here installs; frozen data need it. */
  readonly licence?: 'enterprise' | undefined;

  /** Number of nodes. */
  readonly count?: number | undefined;

  /** Most nodes: the group of full disks gets one more at a time, and never fewer by itself. Without it there are as many as `count`. */
  readonly maxCount?: number | undefined;

  /** Instance type of the nodes. */
  readonly instanceType?: string | undefined;

  /** Size of the volume of a node in GiB. */
  readonly volumeSize?: number | undefined;
}
