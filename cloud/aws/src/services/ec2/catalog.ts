/** An image that instances can be launched from. */
export interface Image {
  readonly imageId: string;
  readonly name: string;
  readonly description: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly rootDeviceName: string;
  /** GiB */
  readonly rootVolumeSize: number;
  readonly ownerId: string;
  readonly ownerAlias?: string;
  readonly platformDetails?: string;
  readonly createdAt: string;
  /**
   * Whether the agent of Systems Manager is in it: Amazon Linux and Ubuntu bring it, Debian does not (Systems Manager User Guide,
   * "Find AMIs with the SSM Agent preinstalled"). @default true
   */
  readonly remoteAgent?: boolean;
  /** Public parameters of Systems Manager that name this image. */
  readonly parameters: readonly string[];
}

const amazon = { ownerId: '137112412989', ownerAlias: 'amazon', createdAt: '2025-11-20T00:00:00.000Z' };
const canonical = { ownerId: '099720109477', createdAt: '2025-11-18T00:00:00.000Z' };
const debian = { ownerId: '136693071363', createdAt: '2025-11-15T00:00:00.000Z', remoteAgent: false };

/** The images that exist from the start. Their ids are of this world only. */
export const publicImages: readonly Image[] = [
  {
    ...amazon,
    imageId: 'ami-0a10000000000a201',
    name: 'al2023-ami-2023.9.20251117.1-kernel-6.1-x86_64',
    description: 'Amazon Linux 2023 AMI x86_64 HVM kernel-6.1',
    architecture: 'x86_64',
    rootDeviceName: '/dev/xvda',
    rootVolumeSize: 8,
    parameters: [
      '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64',
      '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-6.1-x86_64',
    ],
  },
  {
    ...amazon,
    imageId: 'ami-0a10000000000a202',
    name: 'al2023-ami-2023.9.20251117.1-kernel-6.1-arm64',
    description: 'Amazon Linux 2023 AMI arm64 HVM kernel-6.1',
    architecture: 'arm64',
    rootDeviceName: '/dev/xvda',
    rootVolumeSize: 8,
    parameters: [
      '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64',
      '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-6.1-arm64',
    ],
  },
  {
    ...canonical,
    imageId: 'ami-0a10000000000c241',
    name: 'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20251118',
    description: 'Canonical, Ubuntu, 24.04, amd64 noble image',
    architecture: 'x86_64',
    rootDeviceName: '/dev/sda1',
    rootVolumeSize: 8,
    parameters: ['/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id'],
  },
  {
    ...canonical,
    imageId: 'ami-0a10000000000c242',
    name: 'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-arm64-server-20251118',
    description: 'Canonical, Ubuntu, 24.04, arm64 noble image',
    architecture: 'arm64',
    rootDeviceName: '/dev/sda1',
    rootVolumeSize: 8,
    parameters: ['/aws/service/canonical/ubuntu/server/24.04/stable/current/arm64/hvm/ebs-gp3/ami-id'],
  },
  {
    ...canonical,
    imageId: 'ami-0a10000000000c221',
    name: 'ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20251118',
    description: 'Canonical, Ubuntu, 22.04 LTS, amd64 jammy image',
    architecture: 'x86_64',
    rootDeviceName: '/dev/sda1',
    rootVolumeSize: 8,
    parameters: ['/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id'],
  },
  {
    ...canonical,
    imageId: 'ami-0a10000000000c222',
    name: 'ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-arm64-server-20251118',
    description: 'Canonical, Ubuntu, 22.04 LTS, arm64 jammy image',
    architecture: 'arm64',
    rootDeviceName: '/dev/sda1',
    rootVolumeSize: 8,
    parameters: ['/aws/service/canonical/ubuntu/server/22.04/stable/current/arm64/hvm/ebs-gp2/ami-id'],
  },
  {
    ...debian,
    imageId: 'ami-0a10000000000d121',
    name: 'debian-12-amd64-20251115-2297',
    description: 'Debian 12 (20251115-2297)',
    architecture: 'x86_64',
    rootDeviceName: '/dev/xvda',
    rootVolumeSize: 8,
    parameters: ['/aws/service/debian/release/12/latest/amd64'],
  },
  {
    ...debian,
    imageId: 'ami-0a10000000000d122',
    name: 'debian-12-arm64-20251115-2297',
    description: 'Debian 12 (20251115-2297)',
    architecture: 'arm64',
    rootDeviceName: '/dev/xvda',
    rootVolumeSize: 8,
    parameters: ['/aws/service/debian/release/12/latest/arm64'],
  },
];

/** Facts about an instance type. */
export interface InstanceType {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly architecture: 'x86_64' | 'arm64';
  /** Prerequisites for EC2 instance hibernation: supported instance families, less than 150 GiB of memory. */
  readonly hibernation: boolean;
}

interface Family {
  readonly architecture: 'x86_64' | 'arm64';
  readonly hibernation: boolean;
  /** size → [vCPUs, GiB of memory] */
  readonly sizes: Readonly<Record<string, readonly [number, number]>>;
}

const burstable: Family['sizes'] = {
  nano: [2, 0.5],
  micro: [2, 1],
  small: [2, 2],
  medium: [2, 4],
  large: [2, 8],
  xlarge: [4, 16],
  '2xlarge': [8, 32],
};
const sized = (memoryPerVcpu: number, sizes: readonly string[]): Family['sizes'] =>
  Object.fromEntries(sizes.map((size) => [size, [vcpusOf(size), vcpusOf(size) * memoryPerVcpu]]));
const vcpusOf = (size: string) =>
  size === 'medium' ? 1 : size === 'large' ? 2 : 4 * (size === 'xlarge' ? 1 : Number.parseInt(size, 10));
const x86Sizes = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge', '24xlarge'];
const armSizes = ['medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge'];

const families: Readonly<Record<string, Family>> = {
  t2: { architecture: 'x86_64', hibernation: true, sizes: burstable },
  t3: { architecture: 'x86_64', hibernation: true, sizes: burstable },
  t3a: { architecture: 'x86_64', hibernation: true, sizes: burstable },
  t4g: { architecture: 'arm64', hibernation: true, sizes: burstable },
  m5: { architecture: 'x86_64', hibernation: true, sizes: sized(4, x86Sizes) },
  m5a: { architecture: 'x86_64', hibernation: true, sizes: sized(4, x86Sizes) },
  m6a: { architecture: 'x86_64', hibernation: true, sizes: sized(4, x86Sizes) },
  m6i: { architecture: 'x86_64', hibernation: true, sizes: sized(4, x86Sizes) },
  m6g: { architecture: 'arm64', hibernation: true, sizes: sized(4, armSizes) },
  m7a: { architecture: 'x86_64', hibernation: true, sizes: sized(4, x86Sizes) },
  m7i: { architecture: 'x86_64', hibernation: true, sizes: sized(4, x86Sizes) },
  m7g: { architecture: 'arm64', hibernation: true, sizes: sized(4, armSizes) },
  c5: { architecture: 'x86_64', hibernation: true, sizes: sized(2, x86Sizes) },
  c6a: { architecture: 'x86_64', hibernation: true, sizes: sized(2, x86Sizes) },
  c6i: { architecture: 'x86_64', hibernation: true, sizes: sized(2, x86Sizes) },
  c6g: { architecture: 'arm64', hibernation: true, sizes: sized(2, armSizes) },
  c7i: { architecture: 'x86_64', hibernation: true, sizes: sized(2, x86Sizes) },
  c7g: { architecture: 'arm64', hibernation: true, sizes: sized(2, armSizes) },
  r5: { architecture: 'x86_64', hibernation: true, sizes: sized(8, x86Sizes) },
  r5a: { architecture: 'x86_64', hibernation: true, sizes: sized(8, x86Sizes) },
  r6i: { architecture: 'x86_64', hibernation: true, sizes: sized(8, x86Sizes) },
  r6g: { architecture: 'arm64', hibernation: true, sizes: sized(8, armSizes) },
  r7g: { architecture: 'arm64', hibernation: true, sizes: sized(8, armSizes) },
};

const largestHibernatingMiB = 150 * 1024;

/** Every known instance type by name. */
export const instanceTypes: ReadonlyMap<string, InstanceType> = new Map(
  Object.entries(families).flatMap(([family, { architecture, hibernation, sizes }]) =>
    Object.entries(sizes).map(([size, [vcpus, memoryGiB]]): [string, InstanceType] => {
      const memoryMiB = memoryGiB * 1024;
      const name = `${family}.${size}`;
      return [
        name,
        { name, vcpus, memoryMiB, architecture, hibernation: hibernation && memoryMiB < largestHibernatingMiB },
      ];
    }),
  ),
);
