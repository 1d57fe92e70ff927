import type { AwsNeighbours, RemoteAgent, SsmNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { Commands } from './commands.ts';
import { commandOperations } from './operations/commands.ts';
import { listingOperations } from './operations/listing.ts';
import { parameterOperations } from './operations/parameters.ts';
import { Parameters } from './parameters.ts';
import { ssmResources } from './resources.ts';

/** AWS Systems Manager: remote commands and parameters. */
export class Ssm implements AwsService, SsmNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #commands: Commands;
  readonly #parameters: Parameters;

  constructor(aws: AwsNeighbours) {
    this.#commands = new Commands(aws);
    this.#parameters = new Parameters(() => aws.engine.clock.now());
    this.operations = {
      ...commandOperations(aws, this.#commands),
      ...listingOperations(this.#commands),
      ...parameterOperations(aws, this.#parameters),
    };
    this.resources = ssmResources(this.#parameters);
  }

  registerAgent(instanceId: string, agent: RemoteAgent): void {
    this.#commands.nodes.register(instanceId, agent);
  }

  unregisterAgent(instanceId: string): void {
    this.#commands.nodes.unregister(instanceId);
    this.#commands.abandonNode(instanceId);
  }

  /** Status of an instance's agent in Systems Manager; undefined if none has registered. */
  agentStatus(instanceId: string): 'Online' | 'ConnectionLost' | undefined {
    const node = this.#commands.nodes.get(instanceId);
    return node && this.#commands.nodes.ping(node);
  }

  parameter(name: string): string | undefined {
    return this.#parameters.find(name)?.value;
  }

  setParameter(name: string, value: string): void {
    this.#parameters.put(name, value);
  }
}
