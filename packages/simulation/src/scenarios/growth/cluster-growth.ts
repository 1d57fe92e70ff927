import { ClusterStage } from '@drover/stage/testing';
import { UpgradeDriver } from '../upgrade-driver.ts';

const hour = 3_600_000;
const gib = 1024 ** 3;
const inputs = { masterCount: 1, dataCount: 2, separateDataVolume: true, dataVolumeSize: 500 };
const wantedGiB = 2048;
const step = 4;
/** With this many seeds drivers die before and after each of their calls. */
export const growthSeeds = 2 * step;

export interface GrowthRun {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly checks: number;
  readonly faults: number;
  /** The calls at which drivers died. */
  readonly deaths: readonly string[];
}

/**
 * A disk is above the flood stage, and the volumes of the search cluster grow from 500 GiB to 2 TiB while drivers die at their calls, each followed by the next. No node restarts
 * and no shard moves. Then a data node is lost, and the one that is launched instead, from a template that still says 500 GiB, has the
 * size as well; and a deployment changes nothing of it.
 */
export async function simulateGrowth({ seed }: { readonly seed: number }): Promise<GrowthRun> {
  return await new Growth(seed).play();
}

class Growth {
  readonly #seed: number;
  readonly #deaths: string[] = [];
  readonly #violations: string[] = [];
  #checks = 0;
  #stage!: ClusterStage;

  constructor(seed: number) {
    this.#seed = seed;
  }

  async play(): Promise<GrowthRun> {
    this.#stage = await ClusterStage.open(inputs, this.#seed);
    const { deployed, groups } = this.#stage;
    await deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
    await this.#stage.pass(5);
    const before = this.#traces();
    const [flooded] = deployed.inService(groups.data);
    deployed.nodeOf(flooded!).setFreeBytes(gib);
    await this.#stage.pass(2);
    this.#expect('indices that are blocked on a full disk', this.#blocked(), ['logs']);
    await this.#driversDie();
    await this.#stage.pass(2);
    this.#expect('indices that are blocked on a larger disk', this.#blocked(), []);
    this.#expect('what restarts or moves', this.#traces(), before);
    this.#expect('sizes that Elasticsearch sees', this.#sizes(), [wantedGiB, wantedGiB]);

    const [lost] = deployed.inService(groups.data);
    this.#stage.world.machines.kill(lost!);
    await this.#stage.until('another data node in service', () => {
      const now = deployed.inService(groups.data);
      return now.length === 2 && !now.includes(lost!);
    });
    // The function that watches the cluster grows the volume, the next configuration run the file system.
    await this.#stage.pass(45);
    this.#expect('sizes after a node was replaced', this.#sizes(), [wantedGiB, wantedGiB]);

    await this.#stage.deploy({ ...inputs, dataVolumeSize: 600 });
    this.#expect('sizes after a deployment with less', this.#sizes(), [wantedGiB, wantedGiB]);
    return {
      ...{ seed: this.#seed, violations: this.#violations, checks: this.#checks },
      ...{ faults: this.#deaths.length + 1, deaths: this.#deaths },
    };
  }

  async #driversDie(): Promise<void> {
    const at = (this.#seed - 1) % growthSeeds;
    for (let call = at % step, turn = 0; ; call += step, turn++) {
      const phase = (turn % 2 === 0) === at < step ? 'before' : 'after';
      const driver = new UpgradeDriver(this.#stage.deployed, { call, phase });
      const end = await this.#stage.drive(driver.grow(wantedGiB), 12 * hour);
      if (end.kind === 'died') {
        this.#deaths.push(driver.calls.at(-1)!);
        continue;
      }
      this.#expect(
        'the last run',
        JSON.stringify(end),
        JSON.stringify({ kind: 'grown', progress: { grown: 2, of: 2 } }),
      );
      return;
    }
  }

  /** When each process started, and which node has which copy. */
  #traces() {
    const { nodes, core } = this.#stage.deployed;
    const started = [...nodes].map(([id, node]) => `${id} ${node.startedAtMs}`);
    const copies = [...core.state.routing.values()].flat(2).map(({ allocationId, node }) => `${allocationId} ${node}`);
    return [...started, ...copies].toSorted();
  }

  #blocked(): readonly string[] {
    const { indices } = this.#stage.deployed.core.state;
    return [...indices.values()]
      .filter(
        ({ name, settings }) => !name.startsWith('.') && settings['index.blocks.read_only_allow_delete'] === 'true',
      )
      .map(({ name }) => name);
  }

  /** In whole GiB of the disk, of which a file system has a little less for files. */
  #sizes(): readonly number[] {
    const { deployed, groups } = this.#stage;
    return deployed.inService(groups.data).map((id) => Math.round(deployed.nodeOf(id).diskBytes / 0.984 / gib));
  }

  #expect(what: string, found: unknown, wanted: unknown): void {
    this.#checks += 1;
    const [seen, right] = [JSON.stringify(found), JSON.stringify(wanted)];
    if (seen !== right) this.#violations.push(`${what}: ${seen}, not ${right}`);
  }
}
