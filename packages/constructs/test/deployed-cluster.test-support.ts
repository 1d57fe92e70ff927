import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompleteLifecycleActionCommand } from '@aws-sdk/client-auto-scaling';
import { type Clients, clients, deployCloudAssembly, World } from '@drover/cloud-world';
import type { VirtualClock } from '@drover/core';
import { clusterUuidTag, hooks } from '@drover/core/names/search-cluster';
import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { Network, type SearchClusterProps, Zone } from '../src/index.ts';

export const stackName = 'search';
const hourMs = 3_600_000;

export type Place = Pick<SearchClusterProps, 'network' | 'zone'>;

/** A network and a hosted zone, as the constructs take them. */
export function ownNetwork(stack: Stack): Place {
  const vpc = new Vpc(stack, 'Network', { maxAzs: 3, natGateways: 1, restrictDefaultSecurityGroup: false });
  const zone = new PublicHostedZone(stack, 'Zone', { zoneName: 'search.example.com' });
  return { network: Network.fromVpc(vpc), zone: Zone.fromHostedZone(zone) };
}

/** A world into which stacks with search clusters are deployed. Its nodes are tagged as such and complete their launch; they do nothing else. */
export class DeployedWorld {
  readonly world = new World();
  readonly sdk: Clients = clients(this.world);
  readonly #clock = this.world.engine.clock as VirtualClock;

  constructor() {
    this.world.machines.onBoot(
      () => true,
      async ({ machine }) => {
        const AutoScalingGroupName = machine.instance.tags['aws:autoscaling:groupName']!;
        const LifecycleHookName = hooks.launching.name;
        const Tags = [{ Key: clusterUuidTag, Value: 'uuid' }];
        const root = { credentials: this.world.rootCredentials };
        await this.world.aws.call('ec2', 'CreateTags', { Resources: [machine.instance.id], Tags }, root);
        const done = { AutoScalingGroupName, LifecycleHookName, InstanceId: machine.instance.id };
        await this.sdk.autoscaling.send(
          new CompleteLifecycleActionCommand({ ...done, LifecycleActionResult: 'CONTINUE' }),
        );
        return 0;
      },
    );
  }

  async deploy(build: (stack: Stack, place: Place) => void): Promise<void> {
    const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'drover-deploy-')) });
    const stack = new Stack(app, stackName);
    build(stack, ownNetwork(stack));
    await this.drive(deployCloudAssembly(this.world, app.synth().directory));
  }

  /** Advances the clock. */
  async pass(ms: number): Promise<void> {
    await this.drive(this.#clock.sleep(ms));
  }

  /** Advances the clock until the work is done. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const end = () => {
      settled = true;
    };
    work.then(end, end);
    await this.#clock.runUntil(() => settled, 12 * hourMs);
    return await work;
  }
}
