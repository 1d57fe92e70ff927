import type { ResourceProvider, ResourceProviders } from '../../../account/service.ts';
import { ec2Error, invalidParameter } from '../errors.ts';
import type { TaggedResource } from '../model.ts';
import { addressAt, parseCidr } from '../network/cidr.ts';
import type { Ec2State } from '../state.ts';
import { tagsOf } from './tags.ts';

/** VPCs and what is in them, as far as the templates of a fleet in private subnets need. */
export const networkProviders = (ec2: Ec2State): ResourceProviders => ({
  'AWS::EC2::VPC': vpcProvider(ec2),
  'AWS::EC2::Subnet': subnetProvider(ec2),
  'AWS::EC2::InternetGateway': {
    create: (request) => {
      const { id } = ec2.network.createInternetGateway(tagsOf(request));
      return { physicalId: id, attributes: { InternetGatewayId: id } };
    },
    update: retag(ec2, 'InternetGatewayId'),
    delete: ({ physicalId }) => ec2.network.remove(ec2.network.internetGateways, physicalId),
  },
  'AWS::EC2::VPCGatewayAttachment': attachmentProvider(ec2),
  'AWS::EC2::RouteTable': {
    create: (request) => {
      const { id } = ec2.network.createRouteTable({ vpcId: request.properties.VpcId, tags: tagsOf(request) });
      return { physicalId: id, attributes: { RouteTableId: id } };
    },
    update: retag(ec2, 'RouteTableId'),
    delete: ({ physicalId }) => ec2.network.remove(ec2.network.routeTables, physicalId),
  },
  'AWS::EC2::Route': routeProvider(ec2),
  'AWS::EC2::SubnetRouteTableAssociation': {
    create: ({ properties }) => {
      const { id } = ec2.network.associate(properties.RouteTableId, properties.SubnetId);
      return { physicalId: id, attributes: { Id: id } };
    },
    delete: ({ physicalId }) => void ec2.network.associations.delete(physicalId),
  },
  'AWS::EC2::EIP': {
    create: (request) => {
      const { id, publicIp } = ec2.network.allocateAddress(tagsOf(request));
      return { physicalId: publicIp, attributes: { AllocationId: id, PublicIp: publicIp } };
    },
    delete: ({ physicalId }) => {
      for (const address of ec2.network.elasticIps.values())
        if (address.publicIp === physicalId) ec2.network.remove(ec2.network.elasticIps, address.id);
    },
  },
  'AWS::EC2::NatGateway': natProvider(ec2),
  'AWS::EC2::VPCEndpoint': endpointProvider(ec2),
});

const vpcProvider = (ec2: Ec2State): ResourceProvider => {
  const stateOf = (id: string) => {
    const group = [...ec2.network.securityGroups.values()].find((g) => g.vpcId === id && g.name === 'default');
    const { cidr } = ec2.network.vpc(id);
    return {
      physicalId: id,
      attributes: { VpcId: id, CidrBlock: cidr, DefaultSecurityGroup: group?.id, CidrBlockAssociations: [] },
    };
  };
  return {
    create: (request) => {
      const { CidrBlock, EnableDnsSupport, EnableDnsHostnames } = request.properties;
      if (CidrBlock === undefined) throw invalidParameter('the embedded cloud models VPCs with a CidrBlock only');
      const vpc = ec2.network.createVpc({ cidr: CidrBlock, tags: tagsOf(request) });
      vpc.enableDnsSupport = EnableDnsSupport ?? true;
      vpc.enableDnsHostnames = EnableDnsHostnames ?? false;
      return stateOf(vpc.id);
    },
    update: (request) => {
      ec2.network.vpc(request.physicalId).tags = tagsOf(request);
      return stateOf(request.physicalId);
    },
    delete: ({ physicalId }) => {
      refuseWhileSubnets(ec2, physicalId);
      for (const group of ec2.network.securityGroups.values())
        if (group.vpcId === physicalId) ec2.network.remove(ec2.network.securityGroups, group.id);
      for (const table of ec2.network.routeTables.values())
        if (table.vpcId === physicalId) ec2.network.remove(ec2.network.routeTables, table.id);
      ec2.network.remove(ec2.network.vpcs, physicalId);
    },
  };
};

function refuseWhileSubnets(ec2: Ec2State, vpcId: string): void {
  for (const subnet of ec2.network.subnets.values())
    if (subnet.vpcId === vpcId)
      throw ec2Error('DependencyViolation', `The vpc '${vpcId}' has dependencies and cannot be deleted.`);
}

const subnetProvider = (ec2: Ec2State): ResourceProvider => ({
  create: (request) => {
    const { VpcId, CidrBlock, AvailabilityZone, MapPublicIpOnLaunch } = request.properties;
    if (AvailabilityZone !== undefined && !ec2.aws.zones.includes(AvailabilityZone))
      throw invalidParameter(
        `Value (${AvailabilityZone}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${ec2.aws.zones.join(', ')}.`,
      );
    const subnet = ec2.network.createSubnet({
      vpcId: VpcId,
      cidr: CidrBlock ?? nextCidr(ec2, VpcId),
      zone: AvailabilityZone ?? ec2.aws.zones[0]!,
      mapPublicIpOnLaunch: MapPublicIpOnLaunch ?? false,
      tags: tagsOf(request),
    });
    return {
      physicalId: subnet.id,
      attributes: {
        SubnetId: subnet.id,
        AvailabilityZone: subnet.zone,
        VpcId: subnet.vpcId,
        CidrBlock: subnet.cidr,
        Ipv6CidrBlocks: [],
      },
    };
  },
  update: (request) => {
    const subnet = ec2.network.subnet(request.physicalId);
    subnet.mapPublicIpOnLaunch = request.properties.MapPublicIpOnLaunch ?? false;
    return retag(ec2, 'SubnetId')(request);
  },
  delete: ({ physicalId }) => {
    for (const instance of ec2.instances.values())
      if (instance.subnetId === physicalId && instance.state !== 'terminated')
        throw ec2Error('DependencyViolation', `The subnet '${physicalId}' has dependencies and cannot be deleted.`);
    ec2.network.remove(ec2.network.subnets, physicalId);
  },
});

/** A /24 that is free yet. */
function nextCidr(ec2: Ec2State, vpcId: string): string {
  const { cidr } = ec2.network.vpc(vpcId);
  const taken = [...ec2.network.subnets.values()].filter((subnet) => subnet.vpcId === vpcId).length;
  if (parseCidr(cidr).size < 256 * (taken + 1)) throw ec2Error('InvalidSubnet.Range', `The CIDR '${cidr}' is full.`);
  return `${addressAt(cidr, 256 * taken)}/24`;
}

const attachmentProvider = (ec2: Ec2State): ResourceProvider => ({
  create: ({ properties }) => {
    const gateway = ec2.network.internetGateways.get(properties.InternetGatewayId);
    if (gateway === undefined)
      throw invalidParameter('the embedded cloud models attachments of internet gateways only');
    gateway.vpcId = ec2.network.vpc(properties.VpcId).id;
    return { physicalId: `IGW|${gateway.vpcId}`, attributes: { AttachmentType: 'IGW' } };
  },
  delete: ({ properties }) => {
    const gateway = ec2.network.internetGateways.get(properties.InternetGatewayId);
    if (gateway !== undefined) gateway.vpcId = undefined;
  },
});

const routeProvider = (ec2: Ec2State): ResourceProvider => {
  const put = (properties: Readonly<Record<string, string>>) => {
    const { RouteTableId, DestinationCidrBlock: destination, GatewayId, NatGatewayId } = properties;
    const target = NatGatewayId ?? GatewayId;
    if (destination === undefined || target === undefined)
      throw invalidParameter(
        'the embedded cloud models routes of a DestinationCidrBlock to a gateway or NAT gateway only',
      );
    ec2.network.routeTable(RouteTableId!).routes.set(destination, { destination, target });
    return { physicalId: `${RouteTableId}|${destination}`, attributes: { CidrBlock: destination } };
  };
  return {
    create: ({ properties }) => put(properties),
    update: ({ properties }) => put(properties),
    delete: ({ properties }) => {
      ec2.network.routeTables.get(properties.RouteTableId)?.routes.delete(properties.DestinationCidrBlock);
    },
  };
};

const natProvider = (ec2: Ec2State): ResourceProvider => ({
  create: (request) => {
    const { SubnetId, AllocationId, ConnectivityType } = request.properties;
    const nat = ec2.network.createNatGateway({
      subnetId: SubnetId,
      connectivity: ConnectivityType ?? 'public',
      ...(AllocationId === undefined ? {} : { allocationId: AllocationId }),
      tags: tagsOf(request),
    });
    return { physicalId: nat.id, attributes: { NatGatewayId: nat.id } };
  },
  update: retag(ec2, 'NatGatewayId'),
  delete: ({ physicalId }) => ec2.network.remove(ec2.network.natGateways, physicalId),
});

const endpointProvider = (ec2: Ec2State): ResourceProvider => ({
  create: (request) => {
    const { VpcId, ServiceName, VpcEndpointType, SubnetIds, RouteTableIds } = request.properties;
    const endpoint = ec2.network.createEndpoint({
      vpcId: VpcId,
      serviceName: ServiceName,
      endpointType: VpcEndpointType ?? 'Gateway',
      subnetIds: SubnetIds ?? [],
      routeTableIds: RouteTableIds ?? [],
      tags: tagsOf(request),
    });
    return {
      physicalId: endpoint.id,
      attributes: {
        Id: endpoint.id,
        CreationTimestamp: new Date(endpoint.createdAt).toISOString(),
        DnsEntries: [],
        NetworkInterfaceIds: [],
      },
    };
  },
  update: (request) => {
    const endpoint = ec2.network.endpoints.get(request.physicalId)!;
    const tables: readonly string[] = request.properties.RouteTableIds ?? [];
    ec2.network.checkEndpointTables(endpoint, tables);
    endpoint.routeTableIds = tables;
    return retag(ec2, 'Id')(request);
  },
  delete: ({ physicalId }) => ec2.network.remove(ec2.network.endpoints, physicalId),
});

/** An update that changes tags only. */
const retag =
  (ec2: Ec2State, attribute: string): NonNullable<ResourceProvider['update']> =>
  (request) => {
    const resource: TaggedResource | undefined = ec2.registry.get(request.physicalId);
    if (resource !== undefined) resource.tags = tagsOf(request);
    return { physicalId: request.physicalId, attributes: { [attribute]: request.physicalId } };
  };
