import type { InstanceStateName } from '../../account/neighbours.ts';
import { type Instance, tagList } from './model.ts';
import type { Ec2State } from './state.ts';

const stateCodes: Readonly<Record<InstanceStateName, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

export const stateShape = (state: InstanceStateName) => ({ Code: stateCodes[state], Name: state });

/** One instance as DescribeInstances shows it. A terminated instance has lost its network. */
export function instanceShape(ec2: Ec2State, instance: Instance) {
  const gone = instance.state === 'terminated';
  return {
    InstanceId: instance.id,
    ImageId: instance.imageId,
    State: stateShape(instance.state),
    InstanceType: instance.instanceType,
    Architecture: instance.architecture,
    LaunchTime: new Date(instance.launchedAt),
    Placement: { AvailabilityZone: instance.availabilityZone, GroupName: '', Tenancy: 'default' },
    AmiLaunchIndex: instance.launchIndex,
    Monitoring: { State: instance.monitoring ? 'enabled' : 'disabled' },
    RootDeviceName: instance.rootDeviceName,
    RootDeviceType: 'ebs',
    VirtualizationType: 'hvm',
    Hypervisor: 'xen',
    EbsOptimized: false,
    StateTransitionReason: transitionReason(instance),
    ...(instance.stateReasonCode === undefined
      ? {}
      : { StateReason: { Code: instance.stateReasonCode, Message: instance.stateReason ?? instance.stateReasonCode } }),
    ...(instance.keyName === undefined ? {} : { KeyName: instance.keyName }),
    ...(instance.spot ? { InstanceLifecycle: 'spot', SpotInstanceRequestId: `sir-${instance.id.slice(-8)}` } : {}),
    ...(instance.instanceProfileArn === undefined
      ? {}
      : { IamInstanceProfile: { Arn: instance.instanceProfileArn, Id: `AIPA${instance.id.slice(2).toUpperCase()}` } }),
    HibernationOptions: { Configured: instance.hibernationConfigured },
    MetadataOptions: {
      State: instance.state === 'pending' ? 'pending' : 'applied',
      HttpTokens: instance.metadataOptions.tokensRequired ? 'required' : 'optional',
      HttpPutResponseHopLimit: instance.metadataOptions.hopLimit,
      HttpEndpoint: 'enabled',
      InstanceMetadataTags: instance.metadataOptions.tagsEnabled ? 'enabled' : 'disabled',
    },
    Tags: tagList(instance.tags),
    PrivateDnsName: gone ? '' : instance.privateDnsName,
    PublicDnsName: '',
    ...(gone ? {} : networkShape(ec2, instance)),
  };
}

const transitionReason = (instance: Instance) =>
  instance.stateReasonCode === undefined
    ? ''
    : `User initiated (${new Date(instance.stateChangedAt).toISOString().replace('T', ' ').slice(0, 19)} GMT)`;

function networkShape(ec2: Ec2State, instance: Instance) {
  const groups = instance.securityGroupIds.map((GroupId) => ({
    GroupId,
    GroupName: ec2.network.securityGroups.get(GroupId)?.name ?? '',
  }));
  return {
    SubnetId: instance.subnetId,
    VpcId: instance.vpcId,
    PrivateIpAddress: instance.privateIp,
    SecurityGroups: groups,
    NetworkInterfaces: [
      {
        NetworkInterfaceId: `eni-${instance.id.slice(2)}`,
        SubnetId: instance.subnetId,
        VpcId: instance.vpcId,
        PrivateIpAddress: instance.privateIp,
        PrivateDnsName: instance.privateDnsName,
        Status: 'in-use',
        Groups: groups,
        PrivateIpAddresses: [
          { Primary: true, PrivateIpAddress: instance.privateIp, PrivateDnsName: instance.privateDnsName },
        ],
      },
    ],
  };
}
