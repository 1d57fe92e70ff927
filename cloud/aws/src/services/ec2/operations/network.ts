import type { Operations } from '../../../account/service.ts';
import { notFound } from '../errors.ts';
import { type RouteTable, type Subnet, tagList, type VpcEndpoint } from '../model.ts';
import { parseCidr } from '../network/cidr.ts';
import type { Ec2State } from '../state.ts';
import { applyFilters, type Filter, type FilterReaders, page } from './filters.ts';
import { read } from './permissions.ts';

interface DescribeInput {
  readonly Filters?: readonly Filter[];
  readonly NextToken?: string;
  readonly MaxResults?: number;
  readonly SubnetIds?: readonly string[];
  readonly RouteTableIds?: readonly string[];
  readonly VpcEndpointIds?: readonly string[];
}

/** Networks are made by templates; here they are described. */
export const networkOperations = (ec2: Ec2State): Operations => {
  const { network, aws } = ec2;
  return {
    DescribeSubnets: read('DescribeSubnets', (input: DescribeInput) => {
      const from = named(network.subnets, input.SubnetIds, 'InvalidSubnetID.NotFound', 'subnet ID');
      const { items, ...next } = page(applyFilters(from, input.Filters, subnetReaders), input);
      return { Subnets: items.map((subnet) => subnetShape(subnet, aws.accountId)), ...next };
    }),
    DescribeRouteTables: read('DescribeRouteTables', (input: DescribeInput) => {
      const from = named(network.routeTables, input.RouteTableIds, 'InvalidRouteTableID.NotFound', 'routeTable ID');
      const { items, ...next } = page(applyFilters(from, input.Filters, tableReaders(ec2)), input, 100);
      return { RouteTables: items.map((table) => routeTableShape(ec2, table)), ...next };
    }),
    DescribeVpcEndpoints: read('DescribeVpcEndpoints', (input: DescribeInput) => {
      const ids = input.VpcEndpointIds;
      const from = named(network.endpoints, ids, 'InvalidVpcEndpointId.NotFound', 'Vpc Endpoint Id');
      const { items, ...next } = page(applyFilters(from, input.Filters, endpointReaders), input);
      return { VpcEndpoints: items.map((endpoint) => endpointShape(endpoint, aws.accountId)), ...next };
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
const subnetReaders: FilterReaders<Subnet> = {
  'subnet-id': (subnet) => subnet.id,
  'vpc-id': (subnet) => subnet.vpcId,
  'availability-zone': (subnet) => subnet.zone,
  'default-for-az': (subnet) => String(subnet.isDefault),
  'map-public-ip-on-launch': (subnet) => String(subnet.mapPublicIpOnLaunch),
  state: () => 'available',
};
const tableReaders = (ec2: Ec2State): FilterReaders<RouteTable> => ({
  'route-table-id': (table) => table.id,
  'vpc-id': (table) => table.vpcId,
  'association.main': (table) => String(table.main),
  'association.subnet-id': (table) => associationsOf(ec2, table).map((association) => association.subnetId),
});

const endpointReaders: FilterReaders<VpcEndpoint> = {
  'vpc-endpoint-id': (endpoint) => endpoint.id,
  'vpc-id': (endpoint) => endpoint.vpcId,
  'service-name': (endpoint) => endpoint.serviceName,
  'vpc-endpoint-type': (endpoint) => endpoint.endpointType,
  'vpc-endpoint-state': () => 'available',
};

const associationsOf = (ec2: Ec2State, table: RouteTable) =>
  [...ec2.network.associations.values()].filter((association) => association.routeTableId === table.id);

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

const endpointShape = (endpoint: VpcEndpoint, OwnerId: string) => ({
  VpcEndpointId: endpoint.id,
  VpcEndpointType: endpoint.endpointType,
  VpcId: endpoint.vpcId,
  ServiceName: endpoint.serviceName,
  State: 'available',
  RouteTableIds: endpoint.routeTableIds,
  SubnetIds: endpoint.subnetIds,
  CreationTimestamp: new Date(endpoint.createdAt),
  OwnerId,
  Tags: tagList(endpoint.tags),
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
