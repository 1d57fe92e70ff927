import type { Network } from '@drover/cloud-engine';
import type { AwsNeighbours, Route53Neighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { route53Operations } from './operations.ts';
import { route53Resources } from './resources.ts';
import { Zones } from './state.ts';

/** Amazon Route 53: zones, and names that lead to load balancers. */
export class Route53 implements AwsService, Route53Neighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly zones: Zones;
  readonly #aws: AwsNeighbours;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.zones = new Zones(aws.engine.random.fork('route53'));
    this.operations = route53Operations(aws.engine, this.zones);
    this.resources = route53Resources(this.zones);
  }

  /** Names of the zones lead where their records say. */
  connect(network: Network): void {
    network.register(
      (host) => this.aliasOf(host) !== undefined,
      (request, origin) => this.#aws.elbv2.handle(this.aliasOf(request.host.split(':')[0]!)!, request, origin),
    );
  }

  /** The load balancer's name that a name stands for. */
  aliasOf(name: string): string | undefined {
    return this.zones.aliasOf(name);
  }

  zoneName(zoneId: string): string {
    return this.zones.get(zoneId).name;
  }
}
