import type { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import { ParameterValueType, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { Architecture } from './node-runtime.ts';

/** What every instance of ours has: metadata by token and for the host only, one volume, encrypted with the given key. */
export const machine = (volumeGiB: number, kmsKeyId?: string) =>
  ({
    metadataOptions: {
      httpTokens: 'required',
      httpPutResponseHopLimit: 1,
      httpEndpoint: 'enabled',
      instanceMetadataTags: 'disabled',
    },
    blockDeviceMappings: [
      {
        deviceName: '/dev/sda1',
        ebs: {
          volumeSize: volumeGiB,
          volumeType: 'gp3',
          encrypted: true,
          deleteOnTermination: true,
          ...(kmsKeyId === undefined ? {} : { kmsKeyId }),
        },
      },
    ],
    monitoring: { enabled: true },
  }) satisfies CfnLaunchTemplate.LaunchTemplateDataProperty;

/** Canonical publishes the current image of each release and architecture as a public parameter. */
export function currentImage(scope: Construct, architecture: Architecture): string {
  return StringParameter.valueForTypedStringParameterV2(
    scope,
    `/aws/service/canonical/ubuntu/server/24.04/stable/current/${architecture === 'arm64' ? 'arm64' : 'amd64'}/hvm/ebs-gp3/ami-id`,
    ParameterValueType.AWS_EC2_IMAGE_ID,
  );
}
