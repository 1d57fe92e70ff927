import type { HttpRequest, HttpResponse, Network, Origin } from '@drover/cloud-engine';
import type { AwsNeighbours, LoadBalancingNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { answer } from './forward.ts';
import { HealthChecks } from './health-checks.ts';
import type { HealthState } from './model.ts';
import { targetOperations } from './operations.ts';
import { loadBalancingResources } from './resources.ts';
import { Balancers } from './state.ts';
import { deregister, register } from './targets.ts';

/** Application load balancers: listeners, target groups with health checks, forwarding. */
export class LoadBalancing implements AwsService, LoadBalancingNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #aws: AwsNeighbours;
  readonly #balancers = new Balancers();
  readonly #checks: HealthChecks;
  #network: Network | undefined;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#checks = new HealthChecks(aws, this.#balancers);
    this.operations = targetOperations(aws, this.#balancers);
    this.resources = loadBalancingResources({ aws, balancers: this.#balancers, checks: this.#checks });
  }

  /** Load balancers respond under their names; interfaces let in what their security groups allow. */
  connect(network: Network): void {
    this.#network = network;
    this.#checks.connect(network);
    network.register(
      (host) => this.#balancers.byDnsName(host) !== undefined,
      (request, origin) => this.handle(request.host.split(':')[0]!, request, origin),
    );
    network.addBarrier((request, origin) => this.#closedPort(request, origin));
  }

  hasTargetGroup(targetGroupArn: string): boolean {
    return this.#balancers.targetGroups.has(targetGroupArn);
  }

  registerTarget(targetGroupArn: string, targetId: string, port?: number): void {
    register(this.#aws, this.#balancers.targetGroup(targetGroupArn), targetId, port);
  }

  deregisterTarget(targetGroupArn: string, targetId: string, port?: number): void {
    const group = this.#balancers.targetGroups.get(targetGroupArn);
    if (group !== undefined) deregister(this.#aws, group, targetId, port);
  }

  isHealthy(targetGroupArn: string, targetId: string): boolean {
    return this.#stateOf(targetGroupArn, targetId) === 'healthy';
  }

  isUnhealthy(targetGroupArn: string, targetId: string): boolean {
    return this.#stateOf(targetGroupArn, targetId) === 'unhealthy';
  }

  #stateOf(targetGroupArn: string, targetId: string): HealthState | undefined {
    const targets = [...(this.#balancers.targetGroups.get(targetGroupArn)?.targets.values() ?? [])];
    return targets.find(({ id }) => id === targetId)?.state;
  }

  /** A request to the load balancer of this DNS name. */
  async handle(dnsName: string, request: HttpRequest, origin: Origin): Promise<HttpResponse> {
    const balancer = this.#balancers.byDnsName(dnsName);
    if (balancer === undefined)
      throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${dnsName}`), { code: 'ENOTFOUND' });
    return await answer(
      { aws: this.#aws, balancers: this.#balancers, network: this.#network! },
      balancer,
      request,
      origin,
    );
  }

  /**
   * Why a packet is dropped: the security groups of the instance, task or load balancer do not let it in. Operators
   * stand outside of every network and are let in everywhere.
   */
  #closedPort({ host, protocol }: HttpRequest, origin: Origin): string | undefined {
    const [name = '', digits] = host.split(':');
    const groups = this.#groupsOf(name);
    if (groups === undefined) return undefined;
    const source = this.#sourceOf(origin);
    if (source === undefined || source.address === name) return undefined;
    const port = Number(digits ?? (protocol === 'http' ? 80 : 443));
    if (this.#aws.ec2.admits(groups, port, source)) return undefined;
    return `no rule of the security groups ${groups.join(', ')} lets ${origin.name} in on port ${port}`;
  }

  #sourceOf(origin: Origin): { address?: string; securityGroupIds?: readonly string[] } | undefined {
    if (origin.address !== undefined || origin.securityGroupIds !== undefined) return origin;
    const instance = origin.kind === 'machine' ? this.#aws.ec2.instances.get(origin.name) : undefined;
    if (instance === undefined) return undefined;
    return { address: instance.privateIp, securityGroupIds: instance.securityGroupIds };
  }

  /** The security groups that stand before a name or an address, if it belongs to the network. */
  #groupsOf(name: string): readonly string[] | undefined {
    if (isAddress(name)) return (this.#aws.ec2.runningAt(name) ?? this.#aws.ecs.taskAt(name))?.securityGroupIds;
    return this.#balancers.byDnsName(this.#aws.route53.aliasOf(name) ?? name)?.securityGroupIds;
  }
}

/** An address of a network; the metadata service's link-local one is none. */
const isAddress = (name: string) => /^\d+\.\d+\.\d+\.\d+$/.test(name) && !/^(127|169\.254)\./.test(name);
