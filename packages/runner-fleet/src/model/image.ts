/** The report of an instance that bakes an image, or tries one. */
export interface ImageReport {
  /** Of a bake: whether the disk is ready to become an image. */
  readonly baked?: boolean;
  /** Contents of the disk. */
  readonly manifest?: unknown;
  /** Of a trial: whether it could have taken a job. */
  readonly served?: boolean;
  readonly reason?: string;
}

/** An instance that bakes an image, or tries one. */
export interface ImageInstance {
  readonly id: string;
  readonly purpose: 'bake' | 'trial';
  readonly bakeId: string;
  readonly state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
  readonly launchedAt: number;
  /** Why EC2 stopped or terminated it. */
  readonly stateReason?: string;
  readonly report?: ImageReport;
}

/** An image that a bake has made. */
export interface GroupImage {
  readonly id: string;
  readonly bakeId: string;
  readonly state: 'pending' | 'available' | 'failed';
  readonly createdAt: number;
  readonly baseImage: string;
  /** When it became the image of new instances. */
  readonly promotedAt?: number;
}

/** Everything that EC2 and Systems Manager know of a group's images: a bake has no memory of its own. */
export interface ImageFacts {
  readonly instances: readonly ImageInstance[];
  readonly images: readonly GroupImage[];
  readonly snapshots: readonly { readonly id: string; readonly bakeId: string }[];
  /** The image of new instances. */
  readonly current: string;
  /** Images that instances of the group have. */
  readonly inUse: readonly string[];
}
