import type { Operations } from '../../../account/service.ts';
import { notFound } from '../errors.ts';
import { type NatGateway, type RouteTable, type SecurityGroup, type Subnet, tagList, type Vpc } from '../model.ts';
import { parseCidr } from '../network/cidr.ts';
import { permissionShapes } from '../network/security-group-rules.ts';
import type { Ec2State } from '../state.ts';
import { applyFilters, type Filter, type FilterReaders, page } from './filters.ts';
import { read } from './permissions.ts';

interface DescribeInput {
  readonly Filters?: readonly Filter[];
  /** NAT gateways name it in the singular. */
  readonly Filter?: readonly Filter[];
  readonly NextToken?: string;
  readonly MaxResults?: number;
  readonly VpcIds?: readonly string[];
  readonly SubnetIds?: readonly string[];
  readonly GroupIds?: readonly string[];
  readonly GroupNames?: readonly string[];
  readonly RouteTableIds?: readonly string[];
  readonly NatGatewayIds?: readonly string[];
  readonly ZoneNames?: readonly string[];
}

/** Networks are made by templates; here they are described. */
export const networkOperations = (ec2: Ec2State): Operations => {
  const { network, aws } = ec2;
  return {
    DescribeVpcs: read('DescribeVpcs', (input: DescribeInput) => {
      const from = named(network.vpcs, input.VpcIds, 'InvalidVpcID.NotFound', 'vpc ID');
      const { items, ...next } = page(applyFilters(from, input.Filters, vpcReaders), input);
      return { Vpcs: items.map((vpc) => vpcShape(vpc, aws.accountId)), ...next };
    }),
    DescribeSubnets: read('DescribeSubnets', (input: DescribeInput) => {
      const from = named(network.subnets, input.SubnetIds, 'InvalidSubnetID.NotFound', 'subnet ID');
      const { items, ...next } = page(applyFilters(from, input.Filters, subnetReaders), input);
      return { Subnets: items.map((subnet) => subnetShape(subnet, aws.accountId)), ...next };
    }),
    DescribeSecurityGroups: read('DescribeSecurityGroups', (input: DescribeInput) => {
      const from = named(network.securityGroups, input.GroupIds, 'InvalidGroup.NotFound', 'security group');
      const names = input.GroupNames ?? [];
      const groups = from.filter((group) => names.length === 0 || names.includes(group.name));
      const { items, ...next } = page(applyFilters(groups, input.Filters, groupReaders), input);
      return { SecurityGroups: items.map((group) => securityGroupShape(group, aws.accountId)), ...next };
    }),
    DescribeRouteTables: read('DescribeRouteTables', (input: DescribeInput) => {
      const from = named(network.routeTables, input.RouteTableIds, 'InvalidRouteTableID.NotFound', 'routeTable ID');
      const { items, ...next } = page(applyFilters(from, input.Filters, tableReaders(ec2)), input, 100);
      return { RouteTables: items.map((table) => routeTableShape(ec2, table)), ...next };
    }),
    DescribeNatGateways: read('DescribeNatGateways', (input: DescribeInput) => {
      const from = named(network.natGateways, input.NatGatewayIds, 'NatGatewayNotFound', 'NAT gateway');
      const { items, ...next } = page(applyFilters(from, input.Filter ?? input.Filters, natReaders), input);
      return { NatGateways: items.map(natShape), ...next };
    }),
    DescribeAvailabilityZones: read('DescribeAvailabilityZones', (input: DescribeInput) => {
      const names = input.ZoneNames ?? [];
      const zones = aws.zones.filter((zone) => names.length === 0 || names.includes(zone));
      return { AvailabilityZones: zones.map((zone) => zoneShape(zone, aws.region)) };
    }),
  };
};

function named<R>(all: ReadonlyMap<string, R>, ids: readonly string[] | undefined, code: string, noun: string): R[] {
  if (ids === undefined || ids.length === 0) return [...all.values()];
  return ids.map((id) => {
    const resource = all.get(id);
    if (resource === undefined) throw notFound(code, noun, id);
    return resource;
  });
}

const vpcReaders: FilterReaders<Vpc> = {
  'vpc-id': (vpc) => vpc.id,
  cidr: (vpc) => vpc.cidr,
  isDefault: (vpc) => String(vpc.isDefault),
  'is-default': (vpc) => String(vpc.isDefault),
  state: () => 'available',
};
const subnetReaders: FilterReaders<Subnet> = {
  'subnet-id': (subnet) => subnet.id,
  'vpc-id': (subnet) => subnet.vpcId,
  'availability-zone': (subnet) => subnet.zone,
  'default-for-az': (subnet) => String(subnet.isDefault),
  'map-public-ip-on-launch': (subnet) => String(subnet.mapPublicIpOnLaunch),
  state: () => 'available',
};
const groupReaders: FilterReaders<SecurityGroup> = {
  'group-id': (group) => group.id,
  'group-name': (group) => group.name,
  'vpc-id': (group) => group.vpcId,
  description: (group) => group.description,
};
const natReaders: FilterReaders<NatGateway> = {
  'nat-gateway-id': (nat) => nat.id,
  'subnet-id': (nat) => nat.subnetId,
  'vpc-id': (nat) => nat.vpcId,
  state: () => 'available',
};
const tableReaders = (ec2: Ec2State): FilterReaders<RouteTable> => ({
  'route-table-id': (table) => table.id,
  'vpc-id': (table) => table.vpcId,
  'association.main': (table) => String(table.main),
  'association.subnet-id': (table) => associationsOf(ec2, table).map((association) => association.subnetId),
});

const associationsOf = (ec2: Ec2State, table: RouteTable) =>
  [...ec2.network.associations.values()].filter((association) => association.routeTableId === table.id);

const vpcShape = (vpc: Vpc, OwnerId: string) => ({
  VpcId: vpc.id,
  CidrBlock: vpc.cidr,
  IsDefault: vpc.isDefault,
  State: 'available',
  InstanceTenancy: 'default',
  DhcpOptionsId: 'dopt-default',
  OwnerId,
  Tags: tagList(vpc.tags),
});

const subnetShape = (subnet: Subnet, OwnerId: string) => ({
  SubnetId: subnet.id,
  SubnetArn: subnet.arn,
  VpcId: subnet.vpcId,
  CidrBlock: subnet.cidr,
  AvailabilityZone: subnet.zone,
  AvailableIpAddressCount: parseCidr(subnet.cidr).size - 5 - subnet.addressesUsed + subnet.freeAddresses.length,
  DefaultForAz: subnet.isDefault,
  MapPublicIpOnLaunch: subnet.mapPublicIpOnLaunch,
  State: 'available',
  OwnerId,
  Tags: tagList(subnet.tags),
});

const securityGroupShape = (group: SecurityGroup, OwnerId: string) => ({
  GroupId: group.id,
  GroupName: group.name,
  Description: group.description,
  SecurityGroupArn: group.arn,
  VpcId: group.vpcId,
  OwnerId,
  IpPermissions: permissionShapes(group, false, OwnerId),
  IpPermissionsEgress: permissionShapes(group, true, OwnerId),
  Tags: tagList(group.tags),
});

const routeTableShape = (ec2: Ec2State, table: RouteTable) => ({
  RouteTableId: table.id,
  VpcId: table.vpcId,
  OwnerId: ec2.aws.accountId,
  Associations: [
    ...(table.main
      ? [{ Main: true, RouteTableAssociationId: `rtbassoc-${table.id.slice(4)}`, RouteTableId: table.id }]
      : []),
    ...associationsOf(ec2, table).map((association) => ({
      Main: false,
      RouteTableAssociationId: association.id,
      RouteTableId: table.id,
      SubnetId: association.subnetId,
      AssociationState: { State: 'associated' },
    })),
  ],
  Routes: [...table.routes.values()].map(({ destination, target }) => ({
    DestinationCidrBlock: destination,
    [target.startsWith('nat-') ? 'NatGatewayId' : 'GatewayId']: target,
    State: 'active',
    Origin: target === 'local' ? 'CreateRouteTable' : 'CreateRoute',
  })),
  Tags: tagList(table.tags),
});

const natShape = (nat: NatGateway) => ({
  NatGatewayId: nat.id,
  SubnetId: nat.subnetId,
  VpcId: nat.vpcId,
  State: 'available',
  ConnectivityType: nat.connectivity,
  CreateTime: new Date(nat.createdAt),
  NatGatewayAddresses: nat.allocationId === undefined ? [] : [{ AllocationId: nat.allocationId }],
  Tags: tagList(nat.tags),
});

const zoneShape = (zone: string, RegionName: string) => ({
  ZoneName: zone,
  ZoneId: `${zone.slice(0, 2)}w1-az${zone.charCodeAt(zone.length - 1) - 96}`,
  RegionName,
  State: 'available',
  OptInStatus: 'opt-in-not-required',
  ZoneType: 'availability-zone',
  GroupName: RegionName,
  NetworkBorderGroup: RegionName,
  Messages: [],
});
