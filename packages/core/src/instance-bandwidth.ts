/** The baseline bandwidth of an instance type, without burst credits, in Mbps. */
export interface InstanceBandwidth {
  readonly network: number;
  readonly ebs: number;
}

const sizes = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge', '24xlarge', '32xlarge'];
/** The T families differ in EBS alone. */
const burstable = {
  sizes: ['small', 'medium', 'large', 'xlarge', '2xlarge'],
  network: [128, 256, 512, 1024, 2048],
};

interface Families {
  readonly families: string;
  readonly sizes?: readonly string[];
  readonly network: readonly number[];
  readonly ebs: readonly number[];
}

/**
 * Baselines of families that data nodes run on. EBS: EC2 user guide, "EBS-optimized instance types"; network: `BaselineBandwidthInGbps`
 * of DescribeInstanceTypes. Another type: `aws ec2 describe-instance-types --instance-types TYPE --query
 * 'InstanceTypes[].[NetworkInfo.NetworkCards[0].BaselineBandwidthInGbps,EbsInfo.EbsOptimizedInfo.BaselineBandwidthInMbps]'`.
 */
const table: readonly Families[] = [
  { families: 't3', ...burstable, ebs: [174, 347, 695, 695, 695] },
  { families: 't3a', ...burstable, ebs: [175, 350, 695, 695, 695] },
  { families: 't4g', ...burstable, ebs: burstable.network },
  {
    families: 'm5 m5d r5 r5d',
    network: [750, 1_250, 2_500, 5_000, 10_000, 12_000, 20_000, 25_000],
    ebs: [650, 1_150, 2_300, 4_750, 6_800, 9_500, 13_600, 19_000],
  },
  {
    families: 'm5a m5ad r5a r5ad',
    network: [750, 1_250, 2_500, 5_000, 7_500, 10_000, 12_000, 20_000],
    ebs: [650, 1_085, 1_580, 2_880, 4_750, 6_780, 9_500, 13_570],
  },
  {
    families: 'c6g c6gd m6g m6gd r6g r6gd',
    network: [750, 1_250, 2_500, 5_000, 12_000, 20_000, 25_000],
    ebs: [630, 1_188, 2_375, 4_750, 9_500, 14_250, 19_000],
  },
  {
    families: 'c6i c6id m6i m6id r6i r6id',
    network: [781, 1_562, 3_125, 6_250, 12_500, 18_750, 25_000, 37_500, 50_000],
    ebs: [650, 1_250, 2_500, 5_000, 10_000, 15_000, 20_000, 30_000, 40_000],
  },
  {
    families: 'c7g c7gd m7g m7gd r7g r7gd',
    network: [937, 1_876, 3_750, 7_500, 15_000, 22_500, 30_000],
    ebs: [630, 1_250, 2_500, 5_000, 10_000, 15_000, 20_000],
  },
  {
    families: 'c7i m7i r7i',
    network: [781, 1_562, 3_125, 6_250, 12_500, 18_750, 25_000, 37_500],
    ebs: [650, 1_250, 2_500, 5_000, 10_000, 15_000, 20_000, 30_000],
  },
];

/** Baseline bandwidth of an instance type; undefined for one that the table does not have. */
export function instanceBandwidth(instanceType: string): InstanceBandwidth | undefined {
  const [family = '', size = ''] = instanceType.split('.');
  const row = table.find(({ families }) => families.split(' ').includes(family));
  const at = (row?.sizes ?? sizes).indexOf(size);
  const [network, ebs] = [row?.network[at], row?.ebs[at]];
  return network === undefined || ebs === undefined ? undefined : { network, ebs };
}

const bytesPerSecond = (mbps: number) => (mbps * 1_000_000) / 8;

/** Bytes a second that recoveries can copy on an instance of this type; undefined for a type that the table lacks. */
export function instanceBytesPerSecond(instanceType: string): number | undefined {
  const bandwidth = instanceBandwidth(instanceType);
  return bandwidth === undefined ? undefined : bytesPerSecond(Math.min(bandwidth.network, bandwidth.ebs));
}

/** Elasticsearch's own default, and what an unknown type gets. */
const leastMiB = 40;
/**
 * The share that Elasticsearch itself takes when the bandwidth is configured
 * (`node.bandwidth.recovery.operator.factor`).
 */
const recoveryShare = 0.4;

/** `indices.recovery.max_bytes_per_sec` for data nodes of a type with a volume of this throughput: the rest is left to searches and writes. */
export function recoveryMaxBytesPerSec(instanceType: string, volumeMiBPerSecond: number): string {
  const instance = instanceBytesPerSecond(instanceType);
  if (instance === undefined) return `${leastMiB}mb`;
  const mib = Math.floor(recoveryShare * Math.min(instance / 1024 ** 2, volumeMiBPerSecond));
  return `${Math.max(leastMiB, mib)}mb`;
}
