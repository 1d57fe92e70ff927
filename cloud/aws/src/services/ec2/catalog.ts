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
  /** "Burstable performance instances": the T families. */
  readonly burstable: boolean;
  /** USD on demand, us-east-1, Linux. */
  readonly onDemandHour: number;
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
/** Of T2 the small sizes have one vCPU. */
const t2: Sizes = { ...burstable, nano: [1, 0.5], micro: [1, 1], small: [1, 2] };
const sized = (memoryPerVcpu: number, sizes: readonly string[]): Sizes =>
  Object.fromEntries(sizes.map((size) => [size, [vcpusOf(size), vcpusOf(size) * memoryPerVcpu]]));
const vcpusOf = (size: string) =>
  size === 'medium' ? 1 : size === 'large' ? 2 : 4 * (size === 'xlarge' ? 1 : Number.parseInt(size, 10));
const x86Sizes = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge', '24xlarge'];
const armSizes = ['medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge'];

const c5Sizes = ['large', 'xlarge', '2xlarge', '4xlarge', '9xlarge', '12xlarge', '18xlarge', '24xlarge'];

/** USD for an hour of the size large, on demand in us-east-1; the price of the other sizes is in proportion to their memory. */
const hourOfLarge: Readonly<Record<string, number>> = {
  ...{ t2: 0.0928, t3: 0.0832, t3a: 0.0752, t4g: 0.0672 },
  ...{ m5: 0.096, m5a: 0.086, m6a: 0.0864, m6i: 0.096, m6g: 0.077, m7a: 0.11592, m7i: 0.1008, m7g: 0.0816 },
  ...{ c5: 0.085, c6a: 0.0765, c6i: 0.085, c6g: 0.068, c7i: 0.08925, c7g: 0.0725 },
  ...{ r5: 0.126, r5a: 0.113, r6i: 0.126, r6g: 0.1008, r7g: 0.1071 },
};
const memoryPerVcpu: Readonly<Record<string, number>> = { c: 2, m: 4, r: 8 };
/** A `g` after the generation: AWS Graviton ("Amazon EC2 instance type naming conventions"). */
const isArm = (family: string) => family[2] === 'g';

function sizesOf(family: string): Sizes {
  const perVcpu = memoryPerVcpu[family[0]!];
  if (perVcpu === undefined) return family === 't2' ? t2 : burstable;
  return sized(perVcpu, isArm(family) ? armSizes : family === 'c5' ? c5Sizes : x86Sizes);
}

const largestHibernatingMiB = 150 * 1024;

/** Every known instance type by name. */
export const instanceTypes: ReadonlyMap<string, InstanceType> = new Map(
  Object.entries(hourOfLarge).flatMap(([family, hour]) => {
    const sizes = sizesOf(family);
    return Object.entries(sizes).map(([size, [vcpus, memoryGiB]]): [string, InstanceType] => {
      const memoryMiB = memoryGiB * 1024;
      const type: InstanceType = {
        name: `${family}.${size}`,
        vcpus,
        memoryMiB,
        architecture: isArm(family) ? 'arm64' : 'x86_64',
        burstable: family.startsWith('t'),
        onDemandHour: (hour * memoryGiB) / sizes.large![1],
        hibernation: memoryMiB < largestHibernatingMiB,
      };
      return [type.name, type];
    });
  }),
);
