import type { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';

export interface MachineSpec {
  readonly volumeGiB: number;
  readonly rootDeviceName: string;
  readonly kmsKeyId?: string | undefined;
  /** @default true */
  readonly detailedMonitoring?: boolean | undefined;
}

/** What every instance of ours has: metadata by token and for the host only, one volume, encrypted with the given key. */
export const machine = ({ volumeGiB, rootDeviceName, kmsKeyId, detailedMonitoring = true }: MachineSpec) =>
  ({
    metadataOptions: {
      httpTokens: 'required',
      httpPutResponseHopLimit: 1,
      httpEndpoint: 'enabled',
      instanceMetadataTags: 'disabled',
    },
    blockDeviceMappings: [
      {
        deviceName: rootDeviceName,
        ebs: {
          volumeSize: volumeGiB,
          volumeType: 'gp3',
          encrypted: true,
          deleteOnTermination: true,
          ...(kmsKeyId === undefined ? {} : { kmsKeyId }),
        },
      },
    ],
    monitoring: { enabled: detailedMonitoring },
  }) satisfies CfnLaunchTemplate.LaunchTemplateDataProperty;
