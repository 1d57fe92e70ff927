/** A world of the embedded cloud with a network and a hosted zone of its own, into which outside tools deploy released templates. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preload, serveAws } from '@drover/cloud-aws';
import { type CodeHost, serveCodeHost } from '@drover/cloud-github';
import { deployCloudAssembly, World } from '@drover/cloud-world';
import { RealClock, VirtualClock } from '@drover/core';
import { DeployedCluster, kibanaStandIn } from '@drover/stage/cluster';
import { DeployedFleet } from '@drover/stage/fleet';
import { App, CfnOutput, Fn, Stack } from 'aws-cdk-lib';
import { SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { Pace } from '../../../packages/local/src/local/pace.ts';

const hour = 3_600_000;
const zoneName = 'search.example.com';

export interface DeployingWorldOptions {
  /** Names of the fleets and clusters whose machines boot as the real ones do. */
  readonly fleets: readonly string[];
  readonly clusters?: readonly string[];
  /** Simulated seconds per second. */
  readonly speed: number;
}

/** The network that stacks are deployed into. */
export interface Place {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly zoneId: string;
  readonly zoneName: string;
  readonly vpcRange: string;
}

export class DeployingWorld {
  readonly world: World;
  readonly fleets: readonly DeployedFleet[];
  readonly clusters: readonly DeployedCluster[];
  readonly place: Place;
  readonly url: string;
  /** GitHub's API. */
  readonly platformUrl: string;
  readonly #close: () => Promise<void>;

  private constructor(
    parts: Pick<DeployingWorld, 'world' | 'fleets' | 'clusters' | 'place' | 'url' | 'platformUrl'>,
    close: () => Promise<void>,
  ) {
    this.world = parts.world;
    this.fleets = parts.fleets;
    this.clusters = parts.clusters;
    this.place = parts.place;
    this.url = parts.url;
    this.platformUrl = parts.platformUrl;
    this.#close = close;
  }

  static async open({ fleets, clusters = [], speed }: DeployingWorldOptions): Promise<DeployingWorld> {
    await Promise.all([DeployedCluster.preload(), preload()]);
    const world = new World({ clock: new VirtualClock(Date.UTC(2026, 5, 1)), seed: 'templates', journalLimit: 5_000 });
    const deployed: DeployedFleet[] = [];
    for (const groupName of fleets) {
      const codeHost: { readonly codeHost?: CodeHost } =
        deployed[0] === undefined ? {} : { codeHost: deployed[0].codeHost };
      deployed.push(new DeployedFleet({ world, assembly: '', groupName, functions: 'bundle', ...codeHost }));
    }
    const searching = clusters.map(
      (clusterName) => new DeployedCluster({ world, clusterName, machines: 'configured' }),
    );
    world.operate.registerImage(/kibana/, kibanaStandIn);
    deployed[0]!.grantPlatformToken();
    const place = await deployNetwork(deployed[0]!);
    const served = await serveAws(world);
    const platform = await serveCodeHost(deployed[0]!.codeHost);
    const real = new RealClock();
    const pace = new Pace(world.engine.clock as VirtualClock, {
      speed,
      realNow: () => real.now(),
      realSleep: (ms) => real.sleep(ms),
    });
    pace.start();
    const parts = { world, fleets: deployed, clusters: searching, place, url: served.url, platformUrl: platform.url };
    return new DeployingWorld(parts, async () => {
      await pace.stop();
      await Promise.all([served.close(), platform.close()]);
    });
  }

  /** For the environment of a client: nothing of this machine's own configuration. */
  get credentials(): Readonly<Record<string, string>> {
    const { accessKeyId, secretAccessKey } = this.world.rootCredentials;
    return {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: this.world.aws.region,
      AWS_DEFAULT_REGION: this.world.aws.region,
      AWS_ENDPOINT_URL: this.url,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_PAGER: '',
      DROVER_PLATFORM_API: this.platformUrl,
      DROVER_PLATFORM_TOKEN: this.fleets[0]!.platformToken,
    };
  }

  inService(group: string): readonly string[] {
    const members = this.world.observe.members();
    return members.filter((one) => one.group.name === group && one.state === 'InService').map((one) => one.instanceId);
  }

  async close(): Promise<void> {
    await this.#close();
  }
}

/** Three zones without a fixed region, for which CDK would take two. */
class ThreeZones extends Stack {
  override get availabilityZones(): string[] {
    return [0, 1, 2].map((index) => Fn.select(index, Fn.getAzs()));
  }
}

async function deployNetwork(fleet: DeployedFleet): Promise<Place> {
  const outdir = mkdtempSync(join(tmpdir(), 'drover-network-'));
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new ThreeZones(app, 'network');
  const vpc = new Vpc(stack, 'Vpc', { maxAzs: 3, natGateways: 1, restrictDefaultSecurityGroup: false });
  const { subnetIds } = vpc.selectSubnets({ subnetType: SubnetType.PRIVATE_WITH_EGRESS });
  const zone = new PublicHostedZone(stack, 'Zone', { zoneName });
  const outputs = {
    VpcId: vpc.vpcId,
    Subnets: subnetIds.join(','),
    ZoneId: zone.hostedZoneId,
    Range: vpc.vpcCidrBlock,
  };
  for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
  app.synth();
  const [deployed] = await fleet.drive(deployCloudAssembly(fleet.world, outdir), hour);
  rmSync(outdir, { recursive: true });
  const { VpcId: vpcId = '', Subnets = '', ZoneId: zoneId = '', Range: vpcRange = '' } = deployed!.outputs;
  return { vpcId, subnetIds: Subnets.split(','), zoneId, zoneName, vpcRange };
}
