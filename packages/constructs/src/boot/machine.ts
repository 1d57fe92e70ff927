import { dataDevice } from '@drover/core/names/search-cluster';
import type { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';

export interface MachineSpec {
  readonly volumeGiB: number;
  readonly rootDeviceName: string;
  readonly kmsKeyId?: string | undefined;
  /** @default true */
  readonly detailedMonitoring?: boolean | undefined;
  /** Of the root volume. */
  readonly performance?: VolumePerformance;
  /** A second volume. */
  readonly data?: VolumePerformance & { readonly volumeGiB: number };
}

/** Performance of an EBS volume beyond the base of its type. */
export interface VolumePerformance {
  readonly iops?: number | undefined;
  readonly throughput?: number | undefined;
}

/**
 * The common part of all our instances: metadata by token and for the host only, volumes encrypted with the given key.
 */
export const machine = ({
  volumeGiB,
  rootDeviceName,
  kmsKeyId,
  detailedMonitoring = true,
  performance = {},
  data,
}: MachineSpec) =>
  ({
    metadataOptions: {
      httpTokens: 'required',
      httpPutResponseHopLimit: 1,
      httpEndpoint: 'enabled',
      instanceMetadataTags: 'disabled',
    },
    blockDeviceMappings: [
      { deviceName: rootDeviceName, ebs: volume(volumeGiB, kmsKeyId, performance) },
      ...(data === undefined ? [] : [{ deviceName: dataDevice, ebs: volume(data.volumeGiB, kmsKeyId, data) }]),
    ],
    monitoring: { enabled: detailedMonitoring },
  }) satisfies CfnLaunchTemplate.LaunchTemplateDataProperty;

const volume = (volumeSize: number, kmsKeyId: string | undefined, { iops, throughput }: VolumePerformance) => ({
  volumeSize,
  volumeType: 'gp3',
  encrypted: true,
  deleteOnTermination: true,
  ...(kmsKeyId === undefined ? {} : { kmsKeyId }),
  ...(iops === undefined ? {} : { iops }),
  ...(throughput === undefined ? {} : { throughput }),
});
