import { Aws, type AwsOptions } from './aws/aws.ts';
import { joinNetwork } from './aws/wire/wire.ts';
import { createEngine, type Engine, type EngineOptions } from './engine/engine.ts';
import { Network } from './engine/network.ts';
import { Machines } from './machines/machines.ts';

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
    this.aws.lambda.connect(this.network);
    this.aws.elbv2.connect(this.network);
    this.aws.route53.connect(this.network);
    this.aws.ecs.connect(this.network);
  }
}
