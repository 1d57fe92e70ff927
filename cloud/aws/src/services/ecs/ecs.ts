import type { Network } from '@drover/cloud-engine';
import type { AwsNeighbours, EcsNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import type { Task, TaskProgram } from './model.ts';
import { ecsOperations } from './operations.ts';
import { ecsResources } from './resources.ts';
import { Containers } from './state.ts';
import { Tasks } from './tasks.ts';

/** Amazon ECS on Fargate: services whose tasks run programs that the caller registers per image. */
export class Ecs implements AwsService, EcsNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #tasks: Tasks;
  readonly #containers: Containers;

  constructor(aws: AwsNeighbours) {
    this.#tasks = new Tasks(aws);
    this.#containers = new Containers(aws, this.#tasks);
    this.operations = ecsOperations(aws, this.#containers);
    this.resources = ecsResources(aws, this.#containers);
  }

  /** Tasks respond at their addresses. */
  connect(network: Network): void {
    this.#tasks.connect(network);
    network.register(
      (host) => this.taskAt(host) !== undefined,
      async (request) => {
        const site = this.taskAt(request.host.split(':')[0]!)?.site;
        if (site === undefined)
          throw Object.assign(new Error(`connect ECONNREFUSED ${request.host}`), { code: 'ECONNREFUSED' });
        return await site(request);
      },
    );
  }

  /** Registers the behaviour of an image's containers. */
  registerImage(image: RegExp, program: TaskProgram): void {
    this.#tasks.registerImage(image, program);
  }

  taskAt(address: string): Task | undefined {
    for (const service of this.#containers.services.values())
      for (const task of service.tasks.values()) if (task.address === address) return task;
    return undefined;
  }
}
