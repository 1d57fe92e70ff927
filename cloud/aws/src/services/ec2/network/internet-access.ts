import type { HttpRequest, Origin } from '@drover/cloud-engine';
import type { Ec2State } from '../state.ts';

/**
 * Why a function in a VPC gets no response, or undefined when it does. It has no public address in any subnet, so only
 * NAT leads out, and an AWS service without an endpoint in the VPC is outside too. (Lambda Developer Guide, "Enable
 * internet access for VPC-connected Lambda functions": "connecting a function to a public subnet doesn't give it
 * internet access".) Security groups are not looked at.
 */
export function noWayOut(ec2: Ec2State, { host }: Pick<HttpRequest, 'host'>, origin: Origin): string | undefined {
  const [subnetId] = origin.kind === 'function' ? (origin.subnetIds ?? []) : [];
  if (subnetId === undefined || isInside(host)) return undefined;
  if (ec2.hasInternetRoute(subnetId, { publicAddress: false }) || hasEndpoint(ec2, subnetId, host)) return undefined;
  const route = ec2.network.internetRoute(subnetId);
  return route === 'none'
    ? `${subnetId} has no route to the internet`
    : `${subnetId} leads to an internet gateway, which serves public addresses only`;
}

/** Addresses of private networks (RFC 1918), of the host itself, and load balancers that are internal. */
const isInside = (host: string) =>
  /^(10\.|127\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[?::1|localhost\b|internal-[^.]+\.[a-z0-9-]+\.elb\.)/.test(
    host,
  );

/** An interface endpoint takes over the service's name; a gateway endpoint is a route. (AWS PrivateLink Guide, "Access AWS services".) */
function hasEndpoint({ network, aws }: Ec2State, subnetId: string, host: string): boolean {
  const service = new RegExp(`(?:^|\\.)([a-z0-9-]+)\\.${aws.region}\\.amazonaws\\.com(?::\\d+)?$`).exec(host)?.[1];
  const subnet = network.subnet(subnetId);
  const table = network.routeTableOfSubnet(subnet);
  return [...network.endpoints.values()].some(
    ({ vpcId, serviceName, endpointType, routeTableIds }) =>
      vpcId === subnet.vpcId &&
      serviceName === `com.amazonaws.${aws.region}.${service}` &&
      (endpointType !== 'Gateway' || routeTableIds.includes(table.id)),
  );
}
