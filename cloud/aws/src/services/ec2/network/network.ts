import type { Clock } from '@drover/core';
import { ec2Error, notFound } from '../errors.ts';
import type {
  ElasticIp,
  InternetGateway,
  NatGateway,
  Route,
  RouteTable,
  RouteTableAssociation,
  SecurityGroup,
  Subnet,
  Vpc,
  VpcEndpoint,
} from '../model.ts';
import type { Registry } from '../registry.ts';
import { addressAt, contains, overlaps, parseCidr } from './cidr.ts';
import { addRule, allowAllOut, requireText } from './security-group-rules.ts';

type Tags = Readonly<Record<string, string>>;

/** The first four addresses and the last one of a subnet are reserved: Subnet CIDR blocks. */
const reservedAddresses = 5;

/** VPCs, subnets and what connects them. */
export class NetworkModel {
  readonly vpcs = new Map<string, Vpc>();
  readonly subnets = new Map<string, Subnet>();
  readonly securityGroups = new Map<string, SecurityGroup>();
  readonly routeTables = new Map<string, RouteTable>();
  readonly associations = new Map<string, RouteTableAssociation>();
  readonly internetGateways = new Map<string, InternetGateway>();
  readonly natGateways = new Map<string, NatGateway>();
  readonly elasticIps = new Map<string, ElasticIp>();
  readonly endpoints = new Map<string, VpcEndpoint>();
  readonly #registry: Registry;
  readonly #clock: Clock;

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /** The default VPC: an internet gateway, one public subnet per zone (Default VPCs). */
  createDefaultVpc(zones: readonly string[]): Vpc {
    const vpc = this.createVpc({ cidr: '172.31.0.0/16', isDefault: true });
    const gateway = this.createInternetGateway();
    gateway.vpcId = vpc.id;
    this.mainRouteTable(vpc.id).routes.set('0.0.0.0/0', { destination: '0.0.0.0/0', target: gateway.id });
    zones.forEach((zone, index) => {
      const cidr = `172.31.${index * 16}.0/20`;
      this.createSubnet({ vpcId: vpc.id, cidr, zone, isDefault: true, mapPublicIpOnLaunch: true });
    });
    return vpc;
  }

  get defaultVpc(): Vpc | undefined {
    return [...this.vpcs.values()].find((vpc) => vpc.isDefault);
  }

  createVpc(options: { cidr: string; isDefault?: boolean; tags?: Tags }): Vpc {
    const { size } = parseCidr(options.cidr);
    // "The allowed block size is between a /28 netmask and /16 netmask": VPC CIDR blocks.
    if (size > 2 ** 16 || size < 2 ** 4) throw ec2Error('InvalidVpc.Range', `The CIDR '${options.cidr}' is invalid.`);
    const vpc: Vpc = this.#registry.add({
      ...this.#registry.newResource('vpc', 'vpc', options.tags),
      cidr: options.cidr,
      isDefault: options.isDefault ?? false,
      enableDnsSupport: true,
      enableDnsHostnames: options.isDefault ?? false,
    });
    this.vpcs.set(vpc.id, vpc);
    this.createRouteTable({ vpcId: vpc.id, main: true });
    const group = this.createSecurityGroup({
      name: 'default',
      description: 'default VPC security group',
      vpcId: vpc.id,
    });
    addRule(this, group, false, { IpProtocol: '-1', SourceSecurityGroupId: group.id });
    addRule(this, group, true, allowAllOut);
    return vpc;
  }

  createSubnet(options: {
    vpcId: string;
    cidr: string;
    zone: string;
    isDefault?: boolean;
    mapPublicIpOnLaunch?: boolean;
    tags?: Tags;
  }): Subnet {
    this.#checkSubnetCidr(this.vpc(options.vpcId), options.cidr);
    const subnet: Subnet = this.#registry.add({
      ...this.#registry.newResource('subnet', 'subnet', options.tags),
      vpcId: options.vpcId,
      cidr: options.cidr,
      zone: options.zone,
      isDefault: options.isDefault ?? false,
      mapPublicIpOnLaunch: options.mapPublicIpOnLaunch ?? false,
      addressesUsed: 0,
      freeAddresses: [],
    });
    this.subnets.set(subnet.id, subnet);
    return subnet;
  }

  #checkSubnetCidr(vpc: Vpc, cidr: string): void {
    if (!contains(vpc.cidr, cidr)) throw ec2Error('InvalidSubnet.Range', `The CIDR '${cidr}' is invalid.`);
    for (const other of this.subnets.values())
      if (other.vpcId === vpc.id && overlaps(other.cidr, cidr))
        throw ec2Error('InvalidSubnet.Conflict', `The CIDR '${cidr}' conflicts with another subnet`);
  }

  createSecurityGroup(options: { name: string; description: string; vpcId: string; tags?: Tags }): SecurityGroup {
    this.vpc(options.vpcId);
    requireText('GroupName', options.name);
    requireText('GroupDescription', options.description);
    for (const other of this.securityGroups.values())
      if (other.vpcId === options.vpcId && other.name === options.name)
        throw ec2Error(
          'InvalidGroup.Duplicate',
          `The security group '${options.name}' already exists for VPC '${options.vpcId}'`,
        );
    const { name, description, vpcId } = options;
    const resource = this.#registry.newResource('sg', 'security-group', options.tags);
    const group: SecurityGroup = this.#registry.add({ ...resource, name, description, vpcId, rules: new Map() });
    this.securityGroups.set(group.id, group);
    return group;
  }

  createRouteTable(options: { vpcId: string; main?: boolean; tags?: Tags }): RouteTable {
    const vpc = this.vpc(options.vpcId);
    const local: Route = { destination: vpc.cidr, target: 'local' };
    const table: RouteTable = this.#registry.add({
      ...this.#registry.newResource('rtb', 'route-table', options.tags),
      vpcId: vpc.id,
      main: options.main ?? false,
      routes: new Map([[local.destination, local]]),
    });
    this.routeTables.set(table.id, table);
    return table;
  }

  associate(routeTableId: string, subnetId: string): RouteTableAssociation {
    this.routeTable(routeTableId);
    this.subnet(subnetId);
    for (const existing of this.associations.values())
      if (existing.subnetId === subnetId)
        throw ec2Error(
          'Resource.AlreadyAssociated',
          `the specified association for route table ${routeTableId} conflicts with an existing association`,
        );
    const association = { id: this.#registry.newId('rtbassoc'), routeTableId, subnetId };
    this.associations.set(association.id, association);
    return association;
  }

  createInternetGateway(tags?: Tags): InternetGateway {
    const resource = this.#registry.newResource('igw', 'internet-gateway', tags);
    const gateway: InternetGateway = this.#registry.add({ ...resource, vpcId: undefined });
    this.internetGateways.set(gateway.id, gateway);
    return gateway;
  }

  createNatGateway(options: {
    subnetId: string;
    connectivity?: 'public' | 'private';
    allocationId?: string;
    tags?: Tags;
  }): NatGateway {
    const subnet = this.subnet(options.subnetId);
    const nat: NatGateway = this.#registry.add({
      ...this.#registry.newResource('nat', 'natgateway', options.tags),
      subnetId: subnet.id,
      vpcId: subnet.vpcId,
      connectivity: options.connectivity ?? 'public',
      allocationId: options.allocationId,
      createdAt: this.#clock.now(),
    });
    this.natGateways.set(nat.id, nat);
    return nat;
  }

  allocateAddress(tags?: Tags): ElasticIp {
    const publicIp = addressAt('198.51.100.0/24', this.elasticIps.size % 256);
    const address: ElasticIp = this.#registry.add({
      ...this.#registry.newResource('eipalloc', 'elastic-ip', tags),
      publicIp,
    });
    this.elasticIps.set(address.id, address);
    return address;
  }

  createEndpoint(options: Omit<VpcEndpoint, 'id' | 'arn' | 'resourceType' | 'tags' | 'createdAt'> & { tags?: Tags }) {
    this.vpc(options.vpcId);
    this.checkEndpointTables(options, options.routeTableIds);
    const endpoint: VpcEndpoint = this.#registry.add({
      ...options,
      ...this.#registry.newResource('vpce', 'vpc-endpoint', options.tags),
      createdAt: this.#clock.now(),
    });
    this.endpoints.set(endpoint.id, endpoint);
    return endpoint;
  }

  /** A gateway endpoint is a route to the prefix list of its service, of which a table has one (AWS PrivateLink Guide, "Gateway endpoints"). */
  checkEndpointTables(
    { vpcId, serviceName, id }: Pick<VpcEndpoint, 'vpcId' | 'serviceName'> & { readonly id?: string },
    tables: readonly string[],
  ): void {
    for (const table of tables) {
      if (this.routeTable(table).vpcId !== vpcId)
        throw ec2Error('InvalidRouteTableId.NotFound', `The routeTable ID '${table}' does not belong to '${vpcId}'`);
      for (const other of this.endpoints.values())
        if (other.id !== id && other.serviceName === serviceName && other.routeTableIds.includes(table))
          throw ec2Error(
            'RouteAlreadyExists',
            `route table ${table} already has a route with the endpoint ${other.id}`,
          );
    }
  }

  vpc(id: string): Vpc {
    return found(this.vpcs.get(id), 'InvalidVpcID.NotFound', 'vpc ID', id);
  }

  subnet(id: string): Subnet {
    return found(this.subnets.get(id), 'InvalidSubnetID.NotFound', 'subnet ID', id);
  }

  securityGroup(id: string): SecurityGroup {
    return found(this.securityGroups.get(id), 'InvalidGroup.NotFound', 'security group', id);
  }

  routeTable(id: string): RouteTable {
    return found(this.routeTables.get(id), 'InvalidRouteTableID.NotFound', 'routeTable ID', id);
  }

  mainRouteTable(vpcId: string): RouteTable {
    return [...this.routeTables.values()].find((table) => table.vpcId === vpcId && table.main)!;
  }

  routeTableOfSubnet(subnet: Subnet): RouteTable {
    for (const { subnetId, routeTableId } of this.associations.values())
      if (subnetId === subnet.id) return this.routeTable(routeTableId);
    return this.mainRouteTable(subnet.vpcId);
  }

  /**
   * Where packets for the internet leave a subnet: through a NAT gateway, straight through an internet gateway
   * (of use only with a public address), or nowhere.
   */
  internetRoute(subnetId: string): 'nat' | 'internet-gateway' | 'none' {
    const target = this.routeTableOfSubnet(this.subnet(subnetId)).routes.get('0.0.0.0/0')?.target;
    if (target === undefined) return 'none';
    const gateway = this.internetGateways.get(target);
    if (gateway !== undefined) return gateway.vpcId === this.subnet(subnetId).vpcId ? 'internet-gateway' : 'none';
    const nat = this.natGateways.get(target);
    if (nat === undefined || nat.connectivity === 'private') return 'none';
    return this.internetRoute(nat.subnetId) === 'internet-gateway' ? 'nat' : 'none';
  }

  takeAddress(subnet: Subnet): string {
    const { size } = parseCidr(subnet.cidr);
    if (subnet.addressesUsed < size - reservedAddresses) return addressAt(subnet.cidr, 4 + subnet.addressesUsed++);
    const address = subnet.freeAddresses.shift();
    if (address !== undefined) return address;
    throw ec2Error(
      'InsufficientFreeAddressesInSubnet',
      `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
    );
  }

  /** Removes a resource from its collection and forgets its tags. */
  remove(collection: Map<string, unknown>, id: string): void {
    collection.delete(id);
    this.#registry.remove(id);
  }

  newId(prefix: string): string {
    return this.#registry.newId(prefix);
  }
}

function found<R>(resource: R | undefined, code: string, noun: string, id: string): R {
  if (resource === undefined) throw notFound(code, noun, id);
  return resource;
}
