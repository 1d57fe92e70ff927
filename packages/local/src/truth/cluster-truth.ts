import { every, type JournalEntry } from '@drover/cloud-engine';
import { clusterFindings } from '@drover/operator/cluster/doctor/checks';
import type { ClusterFacts } from '@drover/operator/cluster/doctor/facts';
import type { Finding } from '@drover/operator/doctor/findings';
import type { DeployedCluster } from '@drover/stage/cluster';
import { clusterFactsOf } from './cluster-facts.ts';
import { type Danger, TruthAccount } from './truth.ts';

const everyMs = 5 * 60_000;

interface ClusterTruthOptions {
  /** Damage of the next loss, among those that the cluster should survive. */
  dangers(): readonly string[];
  /** Something outside is in the way now: a lost zone, a fault that lasts. */
  troubled(): boolean;
}

/** The account of a cluster's truth, on facts of the world. */
export class ClusterTruth {
  readonly account = new TruthAccount();
  readonly #deployed: DeployedCluster;
  readonly #options: ClusterTruthOptions;
  readonly #expect: (holds: boolean, violation: string) => void;
  #troubledAt = 0;
  #stopped = false;

  constructor(
    deployed: DeployedCluster,
    options: ClusterTruthOptions,
    expect: (holds: boolean, violation: string) => void,
  ) {
    this.#deployed = deployed;
    this.#options = options;
    this.#expect = expect;
  }

  start(): void {
    // Of what was before it has seen nothing: a deployment may have ended just now, and alarms are still on for its boots.
    this.#troubledAt = this.#deployed.clock.now();
    this.#deployed.world.engine.journal.subscribe((entry) => this.#note(entry));
    every(this.#deployed.clock, everyMs, () => {
      if (!this.#stopped) this.#look();
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Findings of doctor's pure part on the world as it is; undefined while there is no cluster. */
  findings(): readonly Finding[] | undefined {
    const facts = this.#facts();
    return facts && clusterFindings(facts);
  }

  #facts(): ClusterFacts | undefined {
    const { world } = this.#deployed;
    const groups = this.#deployed.groupNames().flatMap((name) => world.observe.group(name) ?? []);
    return groups.length < 2 ? undefined : clusterFactsOf(this.#deployed, groups);
  }

  /** Launches and terminations are acts too: nodes drain, copies move. */
  #note({ at, kind, source }: JournalEntry): void {
    if (kind === 'fault' || (kind === 'transition' && /^aws\.(cloudformation|autoscaling)$/.test(source)))
      this.#troubledAt = at;
  }

  #look(): void {
    const facts = this.#facts();
    if (facts === undefined) return;
    const { now } = facts;
    if (this.#options.troubled()) this.#troubledAt = now;
    const look = { now, findings: clusterFindings(facts), dangers: this.#present(facts), troubledAt: this.#troubledAt };
    for (const untruth of this.account.note(look)) this.#expect(false, untruth);
  }

  /** The machines of half of the voters, or of more, are gone for good: no other advice than to recover is right. */
  #isQuorumLost(): boolean {
    const { core, nodes, world } = this.#deployed;
    const { votingConfig } = core.state;
    const living = [...nodes].filter(([id, node]) => {
      const isThere = world.observe.instance(id)?.state === 'running' && world.machines.get(id)?.state !== 'crashed';
      return isThere && votingConfig.includes(node.id);
    });
    return 2 * living.length <= votingConfig.length;
  }

  /** Everything that is broken or in danger now and can be read. */
  #present({ health, topology, instances }: ClusterFacts): readonly Danger[] {
    const restarts = this.#deployed.core.state.shutdowns.size > 0;
    if (health.kind === 'failed')
      return [
        this.#isQuorumLost()
          ? { id: 'most masters that vote are lost', checks: ['quorum-lost'] }
          : { id: 'no master is elected', checks: ['cluster-not-green', 'quorum-lost'] },
      ];
    const there = new Set(topology.kind === 'read' ? topology.value.nodes.map(({ ip }) => ip) : []);
    const outside = instances.filter(
      ({ lifecycleState, privateIp = '' }) => lifecycleState === 'InService' && !there.has(privateIp),
    );
    const crowded = this.#options.dangers().filter((danger) => danger.includes('voting masters are in'));
    return [
      ...(health.value.status === 'green'
        ? []
        : [{ id: `the cluster is ${health.value.status}`, checks: ['cluster-not-green'] }]),
      ...(outside.length > 0 && !restarts ? [{ id: 'a node is not in the cluster', checks: ['missing-nodes'] }] : []),
      ...(instances.some(({ lifecycleState }) => lifecycleState.endsWith(':Retained'))
        ? [{ id: 'an instance is retained', checks: ['retained-instance'] }]
        : []),
      ...(crowded.length > 0
        ? [
            {
              id: 'most masters are in one zone',
              checks: ['masters-in-one-zone', 'zone-without-nodes', 'missing-nodes'],
            },
          ]
        : []),
    ];
  }
}
