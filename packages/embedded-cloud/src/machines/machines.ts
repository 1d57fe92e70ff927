import type { Aws } from '../aws/aws.ts';
import type { Ec2Instance, MachinePower } from '../aws/siblings.ts';
import type { Engine } from '../engine/engine.ts';
import type { Network } from '../engine/network.ts';

/** All machines of a world. */
export class Machines implements MachinePower {
  protected readonly engine: Engine;
  protected readonly network: Network;

  constructor(engine: Engine, network: Network) {
    this.engine = engine;
    this.network = network;
  }

  connect(_aws: Aws): void {}

  powerOn(_instance: Ec2Instance): void {}

  hibernate(_instance: Ec2Instance, done: (hibernated: boolean) => void): void {
    done(false);
  }

  resume(_instance: Ec2Instance): void {}

  powerOff(_instance: Ec2Instance): void {}

  spotNotice(_instance: Ec2Instance, _atMs: number): void {}
}
