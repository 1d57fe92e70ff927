import {
  DescribeRouteTablesCommand,
  DescribeSubnetsCommand,
  DescribeVpcEndpointsCommand,
  type EC2Client,
  type RouteTable,
} from '@aws-sdk/client-ec2';
import { describeError } from '@drover/core';
import { type Outcome, ok, unknown } from '../../doctor/findings.ts';
import { listed } from '../../render/short.ts';

/** A subnet of the runners that leads to S3 through NAT, and its route table. */
interface ThroughNat {
  readonly subnet: string;
  readonly table: string;
}

/** Subnets whose traffic with S3 takes NAT; a text is the reason why that is not known. */
export type RunnerRoutes = readonly ThroughNat[] | string;

/** Reads the routes of the runners' subnets, and the endpoints of S3 beside them. */
export async function runnerRoutes(
  ec2: Pick<EC2Client, 'send'>,
  subnetList: string | undefined,
): Promise<RunnerRoutes> {
  const SubnetIds = (subnetList ?? '').split(',').filter(Boolean);
  if (SubnetIds.length === 0) return [];
  try {
    const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ SubnetIds }));
    const Filters = [{ Name: 'vpc-id', Values: [Subnets?.[0]?.VpcId ?? ''] }];
    const { RouteTables = [] } = await ec2.send(new DescribeRouteTablesCommand({ Filters }));
    const ofS3 = [...Filters, { Name: 'service-name', Values: ['com.amazonaws.*.s3'] }];
    const { VpcEndpoints = [] } = await ec2.send(new DescribeVpcEndpointsCommand({ Filters: ofS3 }));
    // One with interfaces takes over the name of the service for the whole VPC.
    if (VpcEndpoints.some(({ VpcEndpointType }) => VpcEndpointType === 'Interface')) return [];
    const near = new Set(VpcEndpoints.flatMap(({ RouteTableIds = [] }) => RouteTableIds));
    return SubnetIds.flatMap((subnet) => {
      const own = tableOf(subnet, RouteTables);
      const table = own?.RouteTableId ?? '';
      return own !== undefined && leadsToNat(own) && !near.has(table) ? [{ subnet, table }] : [];
    });
  } catch (error) {
    return describeError(error);
  }
}

/** Its own table, else the main one of its VPC. */
const tableOf = (subnet: string, tables: readonly RouteTable[]): RouteTable | undefined =>
  tables.find(({ Associations }) => Associations?.some(({ SubnetId }) => SubnetId === subnet)) ??
  tables.find(({ Associations }) => Associations?.some(({ Main }) => Main));

const leadsToNat = ({ Routes = [] }: RouteTable): boolean =>
  Routes.some(({ DestinationCidrBlock, NatGatewayId }) => DestinationCidrBlock === '0.0.0.0/0' && NatGatewayId);

/** Costs money and breaks nothing, so that it is well all the same. */
export function throughNat(routes: RunnerRoutes): Outcome {
  if (typeof routes === 'string')
    return unknown(
      `the routes of the runners were not read: ${routes}`,
      'allow ec2:DescribeSubnets, ec2:DescribeRouteTables and ec2:DescribeVpcEndpoints to those who run doctor',
    );
  if (routes.length === 0) return ok('nothing between runners and S3 pays for NAT');
  const tables = [...new Set(routes.map(({ table }) => table))];
  return ok(
    `what runners exchange with S3 pays for NAT in ${listed(
      routes.map(({ subnet }) => subnet),
      ', ',
    )}; s3_route_table_ids: [${tables.join(', ')}] makes a free endpoint there`,
  );
}
