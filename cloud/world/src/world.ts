import { Aws, type AwsOptions, type Credentials, joinNetwork, noWayOut } from '@drover/cloud-aws';
import type { HttpRequest } from '@drover/cloud-engine';
import { createEngine, type Engine, type EngineOptions, Network, type Origin } from '@drover/cloud-engine';
import { Machines } from '@drover/cloud-machines';
import { observeAws, operateAws } from './observe/aws.ts';
import type { Observation } from './observe/observation.ts';
import type { Operation } from './observe/operation.ts';

export interface WorldOptions extends EngineOptions, AwsOptions {}

/**
 * The embedded cloud: the only stateful root. It knows nothing of who uses it. What lives in it uses the wire; who observes
 * it from outside uses `observe`, who runs it `operate`.
 */
export class World {
  readonly engine: Engine;
  readonly network: Network;
  readonly machines: Machines;
  readonly aws: Aws;
  readonly observe: Observation;
  readonly operate: Operation;

  constructor(options: WorldOptions = {}) {
    this.engine = createEngine(options);
    this.network = new Network();
    this.machines = new Machines(this.engine, this.network);
    this.aws = new Aws(this.engine, this.machines, options);
    this.observe = observeAws(this.aws);
    this.operate = operateAws(this.aws);
    this.machines.connect(this.aws);
    joinNetwork(this.network, this);
    this.network.addBarrier((request, origin) => this.#barrier(request, origin));
    this.aws.lambda.connect(this.network);
    this.aws.elbv2.connect(this.network);
    this.aws.route53.connect(this.network);
    this.aws.ecs.connect(this.network);
  }

  /** Keys of the root of the account, for operators and deployments. */
  get rootCredentials(): Credentials {
    return this.aws.iam.rootCredentials;
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
