import { arn, globalArn } from '../../../account/arn.ts';
import type { AwsNeighbours, LaunchRequest } from '../../../account/neighbours.ts';
import { type Image, type InstanceType, instanceTypes } from '../catalog.ts';
import { ec2Error, invalidParameter, missingParameter, notFound } from '../errors.ts';
import { type Instance, type LaunchTemplate, type LaunchTemplateData, type Subnet, tagsFor } from '../model.ts';

/** A launch with every reference resolved. */
export interface LaunchPlan {
  readonly request: LaunchRequest;
  readonly template: LaunchTemplate;
  readonly version: number;
  readonly data: LaunchTemplateData;
  readonly subnet: Subnet;
  readonly image: Image;
  readonly type: InstanceType;
  readonly securityGroupIds: readonly string[];
}

/** Refuses what RunInstances refuses. */
export function checkPlan(plan: LaunchPlan): void {
  if (plan.image.architecture !== plan.type.architecture)
    throw invalidParameter(
      `The architecture '${plan.type.architecture}' of the specified instance type does not match the architecture '${plan.image.architecture}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.`,
    );
  const root = plan.data.BlockDeviceMappings?.find((device) => device.DeviceName === plan.image.rootDeviceName);
  const volumeSize = root?.Ebs?.VolumeSize ?? plan.image.rootVolumeSize;
  if (volumeSize < plan.image.rootVolumeSize)
    throw ec2Error(
      'InvalidBlockDeviceMapping',
      `Volume of size ${volumeSize}GB is smaller than snapshot, expect size >= ${plan.image.rootVolumeSize}GB`,
    );
  if (plan.data.HibernationOptions?.Configured === true)
    checkHibernation(plan.type, root?.Ebs?.Encrypted ?? false, volumeSize);
}

/** Prerequisites for EC2 instance hibernation: supported type, encrypted root volume with room for the memory. */
function checkHibernation(type: InstanceType, encrypted: boolean, volumeSizeGiB: number): void {
  const refuse = (message: string) => ec2Error('UnsupportedHibernationConfiguration', message);
  if (!type.hibernation) throw refuse(`Unsupported hibernation configuration: instance type ${type.name}.`);
  if (!encrypted) throw refuse('Unsupported hibernation configuration: the root volume must be encrypted.');
  if (volumeSizeGiB * 1024 <= type.memoryMiB)
    throw refuse('Unsupported hibernation configuration: the root volume is too small to hold the memory.');
}

/** The instance type that a launch names, from the override or the template. */
export function typeOf(request: LaunchRequest, data: LaunchTemplateData): InstanceType {
  const name = request.instanceType ?? data.InstanceType;
  if (name === undefined) throw missingParameter('InstanceType');
  const type = instanceTypes.get(name);
  if (type === undefined) throw invalidParameter(`Invalid value '${name}' for InstanceType.`);
  return type;
}

/** The image by id, or by the `resolve:ssm:` name of a parameter (Use a Systems Manager parameter instead of an AMI ID). */
export function imageOf(
  images: ReadonlyMap<string, Image>,
  imageId: string | undefined,
  resolveParameter: (name: string) => string | undefined,
): Image {
  if (imageId === undefined) throw missingParameter('ImageId');
  const id = imageId.startsWith('resolve:ssm:') ? resolveParameter(imageId.slice('resolve:ssm:'.length)) : imageId;
  const image = images.get(id ?? '');
  if (image === undefined) throw notFound('InvalidAMIID.NotFound', 'image id', `[${id ?? imageId}]`);
  return image;
}

/** The new instance in `pending`. */
export function newInstance(aws: AwsNeighbours, plan: LaunchPlan, id: string, privateIp: string): Instance {
  const { data, request, template } = plan;
  const profile = data.IamInstanceProfile;
  const profileArn = profile?.Arn ?? (profile?.Name && globalArn(aws, 'iam', `instance-profile/${profile.Name}`));
  return {
    id,
    arn: arn(aws, 'ec2', `instance/${id}`),
    resourceType: 'instance',
    imageId: plan.image.imageId,
    instanceType: plan.type.name,
    architecture: plan.type.architecture,
    availabilityZone: plan.subnet.zone,
    subnetId: plan.subnet.id,
    vpcId: plan.subnet.vpcId,
    securityGroupIds: plan.securityGroupIds,
    privateIp,
    privateDnsName: `ip-${privateIp.replaceAll('.', '-')}.${aws.region}.compute.internal`,
    launchedAt: aws.engine.clock.now(),
    launchIndex: 0,
    spot: request.spot ?? data.InstanceMarketOptions?.MarketType === 'spot',
    userData: Buffer.from(data.UserData ?? '', 'base64').toString('utf8'),
    ...(profileArn ? { instanceProfileArn: profileArn } : {}),
    ...(data.KeyName === undefined ? {} : { keyName: data.KeyName }),
    launchTemplate: { id: template.id, name: template.name, version: String(plan.version) },
    hibernationConfigured: data.HibernationOptions?.Configured ?? false,
    metadataOptions: {
      tokensRequired: data.MetadataOptions?.HttpTokens === 'required',
      hopLimit: data.MetadataOptions?.HttpPutResponseHopLimit ?? 1,
      tagsEnabled: data.MetadataOptions?.InstanceMetadataTags === 'enabled',
    },
    monitoring: data.Monitoring?.Enabled ?? false,
    rootDeviceName: plan.image.rootDeviceName,
    shutdownBehavior: data.InstanceInitiatedShutdownBehavior === 'terminate' ? 'terminate' : 'stop',
    state: 'pending',
    tags: { ...tagsFor(data.TagSpecifications, 'instance'), ...request.tags },
    hibernated: false,
    runningSince: undefined,
    impaired: false,
    impairedAt: 0,
    terminatedAt: undefined,
    stateEpoch: 0,
    stateChangedAt: aws.engine.clock.now(),
    stateReasonCode: undefined,
  };
}
