import type { Random } from '@drover/core';
import { certificateFiles, groupNames, softwareFile } from '@drover/core/names/search-cluster';
import type { ClusterCheckers } from '@drover/local/checkers/cluster-checkers';
import { certificatesIn } from '@drover/search-cluster';
import type { DeployedCluster, DeployedClusterOptions } from '@drover/stage/cluster';
import type { ClusterInputs } from '@drover/stage/cluster-template';
import { ClusterStage } from '@drover/stage/testing';
import type { NewVersion } from './cluster-operator.ts';
import type { OperatorActs } from './cluster-renewal.ts';
import { upgradePath } from './cluster-upgrade.ts';
import { type DriverDeath, UpgradeDriver } from './upgrade-driver.ts';

const minute = 60_000;
const gib = 1024 ** 3;
/** After a refusal, or a death, the operator comes back. */
const laterMs = 10 * minute;
const mostRounds = 100;
/** EC2 takes four modifications of a volume a day. */
const mostGrowths = 3;
const growthGiB = 20;

/**
 * A cluster that was deployed from its template, with the functions beside it: its software is rolled, its volumes grow, its authority
 * is replaced. One deployment follows the other, and each is repeated until AWS has made it.
 */
export class TemplateCluster {
  readonly deployed: DeployedCluster;
  readonly #stage: ClusterStage;
  readonly #random: Random;
  #inputs: ClusterInputs;
  #software: string | undefined;
  #deployment: Promise<void> = Promise.resolve();
  #growths = 0;

  private constructor(stage: ClusterStage, inputs: ClusterInputs, random: Random) {
    this.#stage = stage;
    this.deployed = stage.deployed;
    this.#inputs = inputs;
    this.#random = random;
  }

  static async open(
    seed: number,
    random: Random,
    wrap: NonNullable<DeployedClusterOptions['wrap']>,
  ): Promise<TemplateCluster> {
    const inputs: ClusterInputs = {
      ...{ masterCount: 3, dataCount: 5, elasticsearchVersion: upgradePath[0] },
      ...{ separateDataVolume: true, dataVolumeSize: 100 },
    };
    return new TemplateCluster(await ClusterStage.open(inputs, seed, { wrap }), inputs, random);
  }

  /** Other instance types of both groups. */
  readonly newVersion: NewVersion = (version) => {
    const type = version % 2 === 0 ? 'r6i.large' : 'm6i.large';
    return this.#deploy({ instanceTypeMaster: type, instanceTypeData: type });
  };

  /** The operator's acts besides restarts and upgrades; each is taken up again until it has ended. */
  readonly acts: OperatorActs = {
    'roll of the software': async () => {
      const number = Number(this.#software?.split('.')[2] ?? 0) + 1;
      await this.#deploy({}, `0.9.${number}`);
      await this.#until('rolled', (driver) => driver.roll(this.#patience()));
    },
    'growth of the volumes': async () => {
      if (this.#growths === mostGrowths) return;
      this.#growths += 1;
      const sizeGiB = (this.#inputs.dataVolumeSize ?? 0) + this.#growths * growthGiB;
      await this.#until('grown', (driver) => driver.grow(sizeGiB, this.#patience()));
    },
    'another authority': () => this.#until('rotated', (driver) => driver.rotate(this.#patience(), true)),
    // As the last step of an upgrade asks for.
    upgraded: (elasticsearchVersion) => this.#deploy({ elasticsearchVersion }),
  };

  /** In the end every node has the same software and the same authority, and volumes have their size. */
  checkAtRest(checkers: ClusterCheckers): void {
    const { clusterName, world } = this.deployed;
    const files = (path: string) =>
      new Set(this.deployed.inService().map((id) => world.machines.get(id)?.files.get(path) ?? ''));
    const versions = new Set([...files(softwareFile)].map((text) => JSON.parse(text || '{}').version as string));
    checkers.expect(
      versions.size === 1 && (this.#software === undefined || versions.has(this.#software)),
      `nodes have the software ${[...versions].join(', ')}, not ${this.#software ?? 'the same'}`,
    );
    const authorities = files(certificateFiles.authority);
    checkers.expect(
      authorities.size === 1 && certificatesIn([...authorities][0]!).length === 1,
      `${authorities.size} different lists of authorities are trusted, with ${certificatesIn([...authorities].join('\n')).length} certificates`,
    );
    const wanted = (this.#inputs.dataVolumeSize ?? 0) + this.#growths * growthGiB;
    for (const id of this.deployed.inService(groupNames.data(clusterName))) {
      const size = Math.round(this.deployed.nodeOf(id).diskBytes / 0.984 / gib);
      checkers.expect(size === wanted, `the disk of ${id} has ${size} GiB, not ${wanted}`);
    }
  }

  /** Deployments wait for each other, and an operator repeats one that failed. */
  #deploy(change: ClusterInputs, software = this.#software): Promise<void> {
    this.#deployment = this.#deployment.then(async () => {
      this.#inputs = { ...this.#inputs, ...change };
      this.#software = software;
      for (let round = 0; ; round++) {
        const other = software === undefined ? undefined : { version: software };
        const failed = await this.#stage.beginDeployment(this.#inputs, other).catch((error: Error) => error);
        if (failed === undefined) return;
        if (round >= mostRounds) throw failed;
        await this.deployed.clock.sleep(laterMs);
      }
    });
    return this.#deployment;
  }

  async #until(wanted: string, run: (driver: UpgradeDriver) => Promise<{ readonly kind: string }>): Promise<void> {
    for (let round = 0; ; round++) {
      const driver = new UpgradeDriver(this.deployed, this.#death());
      const end = await run(driver).catch((error: Error) => ({ kind: error.message }));
      if (end.kind === wanted) return;
      if (round >= mostRounds) throw new Error(`given up: ${JSON.stringify(end).slice(0, 300)}`);
      await this.deployed.clock.sleep(laterMs);
    }
  }

  #patience(): number {
    return this.#random.int(10, 120) * minute;
  }

  /** Every third driver dies. */
  #death(): DriverDeath | undefined {
    if (!this.#random.chance(0.34)) return undefined;
    return { call: this.#random.int(0, 60), phase: this.#random.pick(['before', 'after']) };
  }
}
