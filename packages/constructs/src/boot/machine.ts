import type { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import { ParameterValueType, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { Architecture } from './node-runtime.ts';

/** What EBS gives a volume beyond the base of its type. */
export interface VolumePerformance {
  readonly iops?: number | undefined;
  readonly throughput?: number | undefined;
}

export interface MoreVolumes {
  readonly root?: VolumePerformance | undefined;
  /** A second volume. */
  readonly data?: (VolumePerformance & { readonly volumeGiB: number }) | undefined;
}

/** What every instance of ours has: metadata by token and for the host only, volumes encrypted with the given key. */
export const machine = (volumeGiB: number, kmsKeyId?: string, { root = {}, data }: MoreVolumes = {}) =>
  ({
    metadataOptions: {
      httpTokens: 'required',
      httpPutResponseHopLimit: 1,
      httpEndpoint: 'enabled',
      instanceMetadataTags: 'disabled',
    },
    blockDeviceMappings: [
      { deviceName: '/dev/sda1', ebs: volume(volumeGiB, kmsKeyId, root) },
      ...(data === undefined ? [] : [{ deviceName: '/dev/sdf', ebs: volume(data.volumeGiB, kmsKeyId, data) }]),
    ],
    monitoring: { enabled: true },
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

/** Canonical publishes the current image of each release and architecture as a public parameter. */
export const imageParameter = (architecture: Architecture): string =>
  `/aws/service/canonical/ubuntu/server/24.04/stable/current/${architecture === 'arm64' ? 'arm64' : 'amd64'}/hvm/ebs-gp3/ami-id`;

/** The image that is current at each deployment. */
export const currentImage = (scope: Construct, architecture: Architecture): string =>
  StringParameter.valueForTypedStringParameterV2(
    scope,
    imageParameter(architecture),
    ParameterValueType.AWS_EC2_IMAGE_ID,
  );
