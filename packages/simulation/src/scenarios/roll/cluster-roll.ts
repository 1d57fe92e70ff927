import { softwareFile, softwareTag } from '@drover/core/names/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { UpgradeDriver } from '../upgrade-driver.ts';
import { type Deaths, DyingTakes, phaseOf } from './dying-takes.ts';

const minute = 60_000;
const hour = 60 * minute;
const inputs = { dataCount: 2 };
const settingsFile = '/etc/elasticsearch/elasticsearch.yml';
const [withSetting, withMore] = ['0.9.1', '0.9.3'];
const step = 4;
/** With this many seeds drivers and programs die before and after each of their calls. */
export const rollSeeds = 2 * step;

export interface RollRun {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly checks: number;
  readonly faults: number;
  /** The calls at which drivers and programs died. */
  readonly deaths: readonly string[];
}

/**
 * Five rolls of the software of a search cluster: drivers die at their calls, then around the note that all is taken, then the program
 * on the nodes dies at its calls, and machines are reset at two moments. The next roll finishes each.
 */
export async function simulateRolls({ seed }: { readonly seed: number }): Promise<RollRun> {
  const at = (seed - 1) % rollSeeds;
  const deaths: Deaths = { first: at % step, step, even: at < step ? 'before' : 'after' };
  return await new Rolls(seed, deaths).play();
}

class Rolls {
  readonly #seed: number;
  readonly #deaths: Deaths;
  readonly #takes: DyingTakes;
  readonly #died: string[] = [];
  readonly #violations: string[] = [];
  #checks = 0;
  #resets = 0;
  #stage!: ClusterStage;
  #nodes: readonly string[] = [];

  constructor(seed: number, deaths: Deaths) {
    this.#seed = seed;
    this.#deaths = deaths;
    this.#takes = new DyingTakes(deaths);
  }

  async play(): Promise<RollRun> {
    this.#stage = await ClusterStage.open(inputs, this.#seed, {
      wrap: this.#takes.wrap,
      filesOf: (version): Readonly<Record<string, string>> =>
        [withSetting, withMore].includes(version)
          ? { [settingsFile]: `http.max_content_length: ${version === withMore ? 2 : 1}00mb\n` }
          : {},
    });
    await this.#stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
    await this.#stage.pass(5);
    this.#nodes = this.#stage.deployed.inService();
    await this.#driversDie('0.9.0');
    await this.#notesDie('0.9.4');
    await this.#programsDie(withSetting);
    await this.#reset('0.9.2', (id) => this.#stateOf(id) === 'taking');
    await this.#reset(withMore, (id) => !this.#stage.deployed.nodeOf(id).running);
    const deaths = [...this.#died, ...this.#takes.deaths];
    return {
      ...{ seed: this.#seed, violations: this.#violations, checks: this.#checks },
      ...{ faults: deaths.length + this.#resets, deaths },
    };
  }

  async #driversDie(version: string): Promise<void> {
    await this.#stage.deploySoftware(inputs, { version });
    for (let call = this.#deaths.first, turn = 0; ; call += step, turn++) {
      const phase = phaseOf(this.#deaths, turn);
      const driver = new UpgradeDriver(this.#stage.deployed, { call, phase });
      if ((await this.#roll(driver)).kind !== 'died') break;
      this.#died.push(driver.calls.at(-1)!);
    }
    await this.#check('drivers died', version);
  }

  async #notesDie(version: string): Promise<void> {
    await this.#stage.deploySoftware(inputs, { version });
    for (const phase of ['before', 'after'] as const) {
      const driver = new UpgradeDriver(this.#stage.deployed, { call: 0, of: 'Invoke', phase });
      const { kind } = await this.#roll(driver);
      if (kind !== 'died') this.#violations.push(`no driver died ${phase} the note: it ${kind}`);
      else this.#died.push(driver.calls.at(-1)!);
    }
    await this.#finish('drivers died around the note', version);
  }

  async #programsDie(version: string): Promise<void> {
    await this.#stage.deploySoftware(inputs, { version });
    this.#takes.on = true;
    let end = await this.#roll();
    for (let runs = 0; end.kind !== 'rolled' && runs < 200; runs++) {
      await this.#stage.pass(1);
      end = await this.#roll();
    }
    this.#takes.on = false;
    if (end.kind !== 'rolled') this.#violations.push(`programs died: the roll ends with ${end.kind}`);
    await this.#check('programs died', version);
  }

  async #reset(version: string, reached: (id: string) => boolean): Promise<void> {
    await this.#stage.deploySoftware(inputs, { version });
    const first = this.#roll();
    if (!(await this.#stage.clock.runUntil(() => this.#nodes.some(reached), hour)))
      throw new Error(this.#stage.deployed.report());
    this.#stage.world.machines.reset(this.#nodes.find(reached)!);
    this.#resets += 1;
    const ended = await first;
    // The record of an unfinished restart counts for an hour.
    if (ended.kind !== 'rolled') await this.#stage.pass(80);
    await this.#finish('a machine was reset', version);
  }

  async #finish(what: string, version: string): Promise<void> {
    const { kind } = await this.#roll();
    if (kind !== 'rolled') this.#violations.push(`${what}: the roll ends with ${kind}`);
    await this.#check(what, version);
  }

  #roll(driver = new UpgradeDriver(this.#stage.deployed)) {
    return this.#stage.drive(driver.roll(), 12 * hour);
  }

  #stateOf(id: string): string | undefined {
    return this.#stage.world.observe.instance(id)!.tags[softwareTag]?.split(' ')[1];
  }

  #versionOf(id: string): string | undefined {
    const text = this.#stage.world.machines.get(id)!.files.get(softwareFile) ?? '{}';
    return (JSON.parse(text) as { version?: string }).version;
  }

  /** Every node has the software once, none was replaced, the cluster is green, and no record is left. */
  async #check(what: string, version: string): Promise<void> {
    const { deployed } = this.#stage;
    const wanted = { version, state: 'taken', nodes: this.#nodes.toSorted().join(), health: 'green', records: '[]' };
    const found = {
      version: [...new Set(this.#nodes.map((id) => this.#versionOf(id)))].join(),
      state: [...new Set(this.#nodes.map((id) => this.#stateOf(id)))].join(),
      nodes: deployed.inService().toSorted().join(),
      health: await deployed.health(),
      records: JSON.stringify(await deployed.records()),
    };
    for (const [key, value] of Object.entries(wanted)) {
      this.#checks += 1;
      const seen = found[key as keyof typeof found];
      if (seen !== value) this.#violations.push(`${what}: ${key} is ${seen}, not ${value}`);
    }
  }
}
