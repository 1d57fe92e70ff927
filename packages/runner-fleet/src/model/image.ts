/** The contents of an image, as the host describes them; more than this is only compared as a whole. */
export interface ImageManifest {
  readonly runner?: { readonly version?: string };
}

/** The report of an instance that bakes an image, or tries one. */
export interface ImageReport {
  /** Of a bake: whether the disk is ready to become an image. */
  readonly baked?: boolean;
  /** Contents of the disk. */
  readonly manifest?: ImageManifest;
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
  /** The image, and the version of the launch template, that it was launched from. */
  readonly image?: string;
  readonly template?: string;
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
  /** Version of the launch template, and of the runner software; undefined for images of earlier releases. */
  readonly template?: string;
  readonly runner?: string;
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

/** The parts that a new image of a group would be made of. */
export interface WantedImage {
  readonly baseImage: string;
  readonly template: string;
  /** Version of the runner software in the mirror; undefined before there is one. */
  readonly runner?: string;
}

/** The memory of `<asg>_image`: the last bake that it began for a group, or saw fail. */
export interface BakeNote {
  readonly bakeId: string;
  readonly begunAt: number;
  /** Why EC2 refused to launch its instance; it is tried again for a while. */
  readonly refused?: string;
  readonly ended?: true;
  /** Of this bake, or of the one before while this one is under way. */
  readonly failure?: BakeFailure;
}

export interface BakeFailure {
  readonly at: number;
  readonly reason: string;
  /** The one whose log says more. */
  readonly instance?: string;
}
