import { RequestClients } from '@drover/simulation/request-clients';
import { UpgradeDriver } from '@drover/simulation/upgrade-driver';
import { type DocumentWriter, searchDelays } from '@drover/stage/cluster';
import { zoneName } from '@drover/stage/cluster-template';
import { ClusterStage } from '@drover/stage/testing';
import { atLeast, atMost, type Figures, informative } from './figures.ts';

const minute = 60_000;
const hour = 60 * minute;
const gib = 1024 ** 3;
const shards = 10;
/** With one replica four copies are on each of five data nodes: 2 TiB. */
const shardBytes = 512 * gib;
const nodes = 8;
const inputs = {
  ...{ masterCount: 3, dataCount: 5, instanceTypeData: 'r6i.4xlarge' },
  ...{ separateDataVolume: true, dataVolumeSize: 4096, indicesRecoveryMaxBytesPerSec: '250mb' },
};
const plugins = ['analysis-icu'];
const [older, newer] = ['8.18.8', '8.19.21'];
/** The release whose Puppet tree writes another line into a file that Elasticsearch reads at its start. */
const withSetting = '0.9.1';
/**
 * Of a start, beside the model's own: then no restart of a node is shorter than the two minutes that are the least of one with 2 TB of
 * data, from its record until it is green again.
 */
const moreStartMs = 40_000;
const electionMs = 10_000;

/**
 * Changes of a cluster of 3 masters and 5 data nodes of 2 TiB under constant writes: minutes a node, bytes that recoveries copied, and
 * requests that failed. All of them change nodes in place.
 */
export async function benchRelease(): Promise<Figures> {
  const stage = await ClusterStage.open({ ...inputs, elasticsearchVersion: older }, 1, {
    node: { bootMs: moreStartMs },
    filesOf: (version): Readonly<Record<string, string>> =>
      version === withSetting ? { '/etc/elasticsearch/elasticsearch.yml': 'http.max_content_length: 200mb\n' } : {},
  });
  const writer = await fill(stage);
  const changes = new Changes(stage);
  const inPlace = await changesInPlace(stage, changes);
  writer.stop();
  await stage.pass(1);
  const missing = await writer.missing();
  if (missing.length > 0) throw new Error(`${missing.length} acknowledged documents are lost`);
  return { ...inPlace, ...delays(), ...changes.restarts() };
}

async function changesInPlace(stage: ClusterStage, changes: Changes): Promise<Figures> {
  const present = { ...inputs, elasticsearchVersion: older };
  const roll = async () => await new UpgradeDriver(stage.deployed).roll();
  await stage.deploySoftware(present, { version: '0.9.0' });
  const release = await changes.play('release', roll);
  await stage.deploySoftware(present, { version: withSetting });
  const puppet = await changes.play('puppet', roll);
  await stage.deploy({ ...present, elasticsearchPlugins: plugins });
  const plugin = await changes.play('plugin', roll);
  const upgrade = await changes.play('upgrade', async () => await new UpgradeDriver(stage.deployed).run(newer));
  return { ...release, ...puppet, ...plugin, ...upgrade };
}

/** Documents enough that a moment of writing is little of a shard, then the size of real ones. */
async function fill(stage: ClusterStage): Promise<DocumentWriter> {
  const writer = await stage.startWriting({ logs: { number_of_shards: shards, number_of_replicas: 1 } }, 1_000);
  await stage.pass(60);
  stage.deployed.cluster.inflate('logs', shardBytes);
  await snapshotted(stage);
  return writer;
}

/** Until the first snapshot of all these bytes is over: later ones take what is new. */
async function snapshotted(stage: ClusterStage): Promise<void> {
  await stage.pass(60);
  const running = async () => {
    const { snapshots } = await stage.deployed.search<{ snapshots: unknown[] }>('GET', '/_snapshot/_status');
    return snapshots.length > 0;
  };
  while (await running()) await stage.pass(10);
}

/** The model's delays, to be read beside the figures. */
const delays = (): Figures =>
  Object.fromEntries(
    Object.entries(searchDelays).map(([name, { least, most }]) => {
      const more = name === 'start' ? moreStartMs : 0;
      const figure = informative((least + more) / 1000, `s, at most ${(most + more) / 1000}`);
      return [`cluster.release.delay.${name}`, figure];
    }),
  );

/** Changes one after the other, with requests through both load balancers all the time. */
class Changes {
  readonly #stage: ClusterStage;
  readonly #elections: number[] = [];
  readonly #stopped = new Set<string>();
  readonly #restartMs: number[] = [];

  constructor(stage: ClusterStage) {
    this.#stage = stage;
    stage.world.engine.journal.subscribe(({ name, at, subject }) => {
      if (name.startsWith('elected master')) this.#elections.push(at);
      if (name === 'stopped') this.#stopped.add(subject ?? '');
    });
  }

  /** A change that leaves every instance where it is. */
  async play(name: string, change: () => Promise<{ readonly kind: string }>): Promise<Figures> {
    const before = this.#stage.deployed.inService().toSorted().join();
    const watch = this.#watchRestarts();
    const { end, bytes, ms, held, clients } = await this.#measure(change, 2_000);
    watch.stop();
    if (!['rolled', 'upgraded'].includes(end.kind)) throw new Error(`${name}: ${JSON.stringify(end)}`);
    if (this.#stage.deployed.inService().toSorted().join() !== before) throw new Error(`${name}: a node was replaced`);
    return this.#named(name, {
      minutes_a_node: atMost(ms / minute / nodes, 5, 'minutes'),
      bytes: atMost((100 * bytes) / held, 1, '% of the data'),
      data: informative(held / 1024 ** 4, 'TiB'),
      ...this.#seenBy(clients),
    });
  }

  /** The shortest restart of a node that was measured, from its record until that is gone. */
  restarts(): Figures {
    const shortest = Math.min(...this.#restartMs) / minute;
    const longest = Math.max(...this.#restartMs) / minute;
    return {
      'cluster.release.restart.shortest': atLeast(shortest, 2, 'minutes'),
      'cluster.release.restart.longest': informative(longest, 'minutes'),
    };
  }

  async #measure<T>(change: () => Promise<T>, everyMs: number) {
    const { deployed, clock } = this.#stage;
    const copied = () => deployed.cluster.services!.recoveries.copiedBytes;
    const before = { bytes: copied(), at: clock.now() };
    const clients = new RequestClients(deployed, zoneName, everyMs);
    clients.start('logs');
    const held = this.#heldBytes();
    const end = await this.#stage.drive(change(), 14 * 24 * hour);
    const measured = { end, bytes: copied() - before.bytes, ms: clock.now() - before.at, held, clients };
    clients.stop();
    await this.#stage.pass(1);
    return measured;
  }

  /** Of all copies of the index. */
  #heldBytes(): number {
    const copies = this.#stage.deployed.cluster.nodes.flatMap((node) => [...node.copies.values()]);
    return copies.filter(({ index }) => index === 'logs').reduce((sum, { store }) => sum + store.sizeBytes, 0);
  }

  #seenBy({ sent, failures, givenUp }: RequestClients): Figures {
    const explained = ({ at }: { readonly at: number }) =>
      this.#elections.some((then) => Math.abs(at - then) <= electionMs);
    const unexplained = failures.filter((failure) => !explained(failure));
    return {
      requests: informative(sent, 'sent once'),
      failed: atMost(unexplained.length, 0, 'not by an election'),
      failed_in_elections: informative(failures.length - unexplained.length, 'within 10 s'),
      given_up: atMost(givenUp.length, 0, 'tried for 30 s'),
    };
  }

  /** Printed at once, too: all of them take some minutes. */
  #named(change: string, figures: Figures): Figures {
    const values = Object.entries(figures).map(([name, { value }]) => `${name} ${value.toFixed(2)}`);
    console.error(`measured cluster.release.${change}: ${values.join(', ')}`);
    return Object.fromEntries(
      Object.entries(figures).map(([name, figure]) => [`cluster.release.${change}.${name}`, figure]),
    );
  }

  /** Notes how long each record of a restart is there, if its node was stopped meanwhile. */
  #watchRestarts(): { stop(): void } {
    const { deployed, clock } = this.#stage;
    const since = new Map<string, number>();
    let on = true;
    const look = () => {
      const present = [...deployed.core.state.shutdowns.keys()];
      for (const id of present) if (!since.has(id)) this.#begin(since, id);
      for (const [id, at] of since) if (!present.includes(id)) this.#end(since, id, clock.now() - at);
      if (on) clock.after(1_000, look);
    };
    look();
    return {
      stop: () => {
        on = false;
      },
    };
  }

  #begin(since: Map<string, number>, id: string): void {
    this.#stopped.delete(this.#nameOf(id));
    since.set(id, this.#stage.clock.now());
  }

  #end(since: Map<string, number>, id: string, ms: number): void {
    since.delete(id);
    if (this.#stopped.has(this.#nameOf(id))) this.#restartMs.push(ms);
  }

  #nameOf(id: string): string {
    return this.#stage.deployed.cluster.nodes.find((node) => node.id === id)?.name ?? id;
  }
}
