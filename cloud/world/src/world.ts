import { Aws, type AwsOptions, joinNetwork, noWayOut } from '@drover/cloud-aws';
import type { HttpRequest } from '@drover/cloud-engine';
import { createEngine, type Engine, type EngineOptions, Network, type Origin } from '@drover/cloud-engine';
import { Machines } from '@drover/cloud-machines';

export interface WorldOptions extends EngineOptions, AwsOptions {}

/** The embedded cloud: the only stateful root. It knows nothing of who uses it. */
export class World {
  readonly engine: Engine;
  readonly network: Network;
  readonly machines: Machines;
  readonly aws: Aws;

  constructor(options: WorldOptions = {}) {
    this.engine = createEngine(options);
    this.network = new Network();
    this.machines = new Machines(this.engine, this.network);
    this.aws = new Aws(this.engine, this.machines, options);
    this.machines.connect(this.aws);
    joinNetwork(this.network, this);
    this.network.addBarrier((request, origin) => this.#barrier(request, origin));
    this.aws.lambda.connect(this.network);
    this.aws.elbv2.connect(this.network);
    this.aws.route53.connect(this.network);
    this.aws.ecs.connect(this.network);
  }

  /** Packets without a route vanish; only the journal knows why. */
  #barrier(request: HttpRequest, origin: Origin): string | undefined {
    const because = noWayOut(this.aws.ec2, request, origin);
    if (because !== undefined)
      this.engine.journal.record({
        kind: 'note',
        source: 'network',
        name: 'no way out',
        subject: origin.name,
        detail: { host: request.host, because },
      });
    return because;
  }
}
