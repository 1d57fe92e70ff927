import images from './images.json' with { type: 'json' };

/** An image that instances can be launched from. */
export interface Image {
  readonly imageId: string;
  readonly name: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly rootDeviceName: string;
  /** GiB */
  readonly rootVolumeSize: number;
  /**
   * Whether the agent of Systems Manager is in it: Amazon Linux and Ubuntu bring it, Debian does not (Systems Manager User Guide,
   * "Find AMIs with the SSM Agent preinstalled"). @default true
   */
  readonly remoteAgent?: boolean;
  /** Public parameters of Systems Manager that name this image. */
  readonly parameters: readonly string[];
}

/** The images that exist from the start. Their ids are of this world only. */
export const publicImages = images as readonly Image[];

/** Facts about an instance type. */
export interface InstanceType {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly architecture: 'x86_64' | 'arm64';
  /** Prerequisites for EC2 instance hibernation: supported instance families, less than 150 GiB of memory. */
  readonly hibernation: boolean;
}

/** size → [vCPUs, GiB of memory] */
type Sizes = Readonly<Record<string, readonly [number, number]>>;

const burstable: Sizes = {
  nano: [2, 0.5],
  micro: [2, 1],
  small: [2, 2],
  medium: [2, 4],
  large: [2, 8],
  xlarge: [4, 16],
  '2xlarge': [8, 32],
};
const sized = (memoryPerVcpu: number, sizes: readonly string[]): Sizes =>
  Object.fromEntries(sizes.map((size) => [size, [vcpusOf(size), vcpusOf(size) * memoryPerVcpu]]));
const vcpusOf = (size: string) =>
  size === 'medium' ? 1 : size === 'large' ? 2 : 4 * (size === 'xlarge' ? 1 : Number.parseInt(size, 10));
const x86Sizes = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge', '24xlarge'];
const armSizes = ['medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge'];

const families = 't2 t3 t3a t4g m5 m5a m6a m6i m6g m7a m7i m7g c5 c6a c6i c6g c7i c7g r5 r5a r6i r6g r7g'.split(' ');
const memoryPerVcpu: Readonly<Record<string, number>> = { c: 2, m: 4, r: 8 };
/** A `g` after the generation: AWS Graviton ("Amazon EC2 instance type naming conventions"). */
const isArm = (family: string) => family[2] === 'g';

function sizesOf(family: string): Sizes {
  const perVcpu = memoryPerVcpu[family[0]!];
  return perVcpu === undefined ? burstable : sized(perVcpu, isArm(family) ? armSizes : x86Sizes);
}

const largestHibernatingMiB = 150 * 1024;

/** Every known instance type by name. */
export const instanceTypes: ReadonlyMap<string, InstanceType> = new Map(
  families.flatMap((family) =>
    Object.entries(sizesOf(family)).map(([size, [vcpus, memoryGiB]]): [string, InstanceType] => {
      const memoryMiB = memoryGiB * 1024;
      const name = `${family}.${size}`;
      const architecture = isArm(family) ? 'arm64' : 'x86_64';
      return [name, { name, vcpus, memoryMiB, architecture, hibernation: memoryMiB < largestHibernatingMiB }];
    }),
  ),
);
