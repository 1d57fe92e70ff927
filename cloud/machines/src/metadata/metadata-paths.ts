import type { Clock } from '@drover/core';
import type { Instance, MachineAccount } from '../account.ts';
import type { InstanceCredentials } from './instance-credentials.ts';

/** The source of one instance's metadata. */
export interface MetadataSource {
  readonly instance: Instance;
  readonly aws: MachineAccount;
  readonly clock: Clock;
  readonly credentials: InstanceCredentials;
  /** When a spot instance will be taken away. */
  readonly spotNoticeAt: number | undefined;
}

type Values = Record<string, () => string | undefined>;

/** Everything below `/latest/`, as in "Instance metadata categories", EC2 user guide. A value may be absent for now. */
export function metadataValues(source: MetadataSource): Values {
  const { instance } = source;
  return {
    'meta-data/ami-id': () => instance.imageId,
    'meta-data/hostname': () => instance.privateDnsName,
    'meta-data/instance-id': () => instance.id,
    'meta-data/instance-life-cycle': () => (instance.spot ? 'spot' : 'on-demand'),
    'meta-data/instance-type': () => instance.instanceType,
    'meta-data/local-hostname': () => instance.privateDnsName,
    'meta-data/local-ipv4': () => instance.privateIp,
    'meta-data/placement/availability-zone': () => instance.availabilityZone,
    'meta-data/placement/region': () => source.aws.region,
    'meta-data/services/domain': () => 'amazonaws.com',
    'meta-data/services/partition': () => 'aws',
    // Where the instance is going, not where it is: "Retrieve the target lifecycle state through instance metadata".
    'meta-data/autoscaling/target-lifecycle-state': () => source.aws.autoscaling.targetLifecycleState(instance.id),
    ...interfaceValues(source),
    ...spotValues(source),
    ...roleValues(source),
    ...tagValues(instance),
    'dynamic/instance-identity/document': () => identityDocument(source),
    'user-data': () => (instance.userData === '' ? undefined : instance.userData),
  };
}

/** Of the only interface that an instance has: locally administered, and as unique as its address. */
export const macAddress = (privateIp: string): string =>
  ['02', '00', ...privateIp.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))].join(':');

/** cloud-init reads these to find out about the network, also where it does not configure it. */
function interfaceValues({ instance, aws }: MetadataSource): Values {
  const mac = macAddress(instance.privateIp);
  const values: Readonly<Record<string, string>> = {
    'device-number': '0',
    'local-hostname': instance.privateDnsName,
    'local-ipv4s': instance.privateIp,
    mac,
    'owner-id': aws.accountId,
    'subnet-id': instance.subnetId,
  };
  return {
    'meta-data/mac': () => mac,
    ...Object.fromEntries(
      Object.entries(values).map(([name, value]) => [`meta-data/network/interfaces/macs/${mac}/${name}`, () => value]),
    ),
  };
}

/** Absent until the two minutes' notice: "Spot Instance interruption notices". */
function spotValues({ instance, spotNoticeAt }: MetadataSource): Values {
  const { rebalanceRecommendedAt } = instance;
  const recommendation: Values =
    rebalanceRecommendedAt === undefined
      ? {}
      : {
          // EC2 instance rebalance recommendations: 404 until there is one.
          'meta-data/events/recommendations/rebalance': () =>
            JSON.stringify({ noticeTime: toSeconds(rebalanceRecommendedAt) }),
        };
  if (!instance.spot || spotNoticeAt === undefined) return recommendation;
  const time = toSeconds(spotNoticeAt);
  return {
    ...recommendation,
    'meta-data/spot/instance-action': () => JSON.stringify({ action: 'terminate', time }),
    'meta-data/spot/termination-time': () => time,
  };
}

function roleValues({ credentials, instance }: MetadataSource): Values {
  const { roleArn } = credentials;
  if (roleArn === undefined) return {};
  const role = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  return {
    'meta-data/iam/info': () => JSON.stringify({ Code: 'Success', InstanceProfileArn: instance.instanceProfileArn }),
    [`meta-data/iam/security-credentials/${role}`]: () => credentialsDocument(credentials),
  };
}

function credentialsDocument(held: InstanceCredentials): string {
  try {
    const { accessKeyId, secretAccessKey, sessionToken, expiresAt } = held.current()!;
    return JSON.stringify({
      Code: 'Success',
      LastUpdated: toSeconds(held.issuedAt!),
      Type: 'AWS-HMAC',
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: sessionToken,
      Expiration: toSeconds(expiresAt!),
    });
  } catch (error) {
    return JSON.stringify({ Code: 'AssumeRoleUnauthorizedAccess', Message: (error as Error).message });
  }
}

/** Only when the launch template allows it: "View tags for your EC2 instances using instance metadata". */
function tagValues(instance: Instance): Values {
  if (!instance.metadataOptions.tagsEnabled) return {};
  return Object.fromEntries(
    Object.keys(instance.tags).map((key) => [`meta-data/tags/instance/${key}`, () => instance.tags[key]]),
  );
}

function identityDocument({ instance, aws }: MetadataSource): string {
  return JSON.stringify({
    accountId: aws.accountId,
    availabilityZone: instance.availabilityZone,
    imageId: instance.imageId,
    instanceId: instance.id,
    instanceType: instance.instanceType,
    pendingTime: toSeconds(instance.launchedAt),
    privateIp: instance.privateIp,
    region: aws.region,
    version: '2017-09-30',
  });
}

const toSeconds = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
