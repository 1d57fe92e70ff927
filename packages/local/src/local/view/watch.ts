import type { JournalEntry } from '@drover/cloud-engine';
import { workerName } from '@drover/cloud-github';
import type { ControlName, Controls, PromiseState } from '@drover/observation/api';
import { describeEvent, type EventKind, type FleetEvent } from '@drover/observation/story/events';
import type { DocumentWriter } from '@drover/stage/cluster';
import { ClusterCheckers } from '../../checkers/cluster-checkers.ts';
import { FleetCheckers } from '../../checkers/fleet-checkers.ts';
import { idleTargetAt, type ScalingRules } from '../deployment.ts';
import { Incidents } from './incidents.ts';
import { journalEvent } from './journal-events.ts';
import { Lives } from './lives.ts';
import { lostBy } from './lost-by.ts';
import { openings } from './openings.ts';
import { promisesOf } from './promises.ts';
import type { Situation } from './situation.ts';

const lookMs = 15_000;
/** Looks between two counts of the documents: half an hour. */
const looksPerCount = 120;
const recentMs = 30 * 60_000;

/** Events that are printed on the terminal. */
const announced: ReadonlySet<EventKind> = new Set([
  'job-lost',
  'alarm-on',
  'alarm-over',
  'cluster-green',
  'cluster-yellow',
  'cluster-red',
  'cluster-none',
]);

/** Follows the world: lives, incidents, and whether the promises are kept. */
export class Watch {
  readonly lives = new Lives();
  readonly incidents: Incidents;
  readonly checkers: { readonly fleet: FleetCheckers; readonly cluster: ClusterCheckers };
  readonly #situation: Situation;
  readonly #writer: DocumentWriter;
  #struckAt = Number.NEGATIVE_INFINITY;
  #colour = 'green';
  #looks = 0;
  #started = false;
  readonly #workerEnded = new Map<number, number>();
  #say: (line: string) => void = () => {};
  #missing: readonly string[] = [];
  /** Since when the documents cannot be counted. */
  #uncountedSince: number | undefined;

  constructor(situation: Situation, writer: DocumentWriter, rules: () => ScalingRules) {
    this.#situation = situation;
    this.#writer = writer;
    const { world, clock } = situation;
    this.incidents = new Incidents({ now: () => clock.now(), countDocuments: () => this.#countDocuments() });
    this.checkers = this.#check(rules);
    world.engine.journal.subscribe((entry) => {
      this.#noteWorker(entry);
      const event = journalEvent(entry);
      this.lives.note(entry, event);
      // Shards have come or gone.
      if (entry.source === 'search' && this.#started) this.#noteColour();
      if (event !== undefined) this.#note(event);
    });
  }

  /** Says from now on what is worth a line: incidents, alarms, lost jobs, the colour of the cluster. */
  announceTo(say: (line: string) => void): void {
    this.incidents.announceTo(say);
    this.#say = say;
  }

  #note(heard: FleetEvent): void {
    const event = heard.kind === 'job-lost' ? this.#loss(heard) : heard;
    this.incidents.note(event);
    if (announced.has(event.kind)) this.#say(describeEvent(event).text);
  }

  /**
   * The end of the process that works on a job: GitHub hears of it only when it is reported, or the lease is over. The
   * runner may have its next job by then, on which no process works yet.
   */
  #noteWorker({ name, subject = '', at, detail }: JournalEntry): void {
    if (name !== 'process-exit' || detail?.process !== workerName) return;
    const { job } = this.#situation.fleet.codeHost.registry.index.named(subject) ?? {};
    if (job?.startedAt !== undefined) this.#workerEnded.set(job.id, at);
  }

  /** A lost job when its Worker or its machine ended, on the account that the ledger has for it. */
  #loss(event: FleetEvent): FleetEvent {
    const { job = 0, instance = '', at } = event;
    const { crashedAt = at } = this.checkers.fleet.watch.fateOf(instance);
    const endedAt = this.#workerEnded.get(job) ?? crashedAt;
    return { ...event, at: Math.min(at, endedAt), by: lostBy(this.checkers.fleet.accountOf(job)) };
  }

  /** Once everything is deployed. */
  start(): void {
    this.#started = true;
    this.checkers.cluster.start();
    const look = () => {
      this.#look();
      this.#situation.clock.after(lookMs, look);
    };
    look();
  }

  /** Carries a control out under the incident that it opens. One that is refused leaves none. */
  async during<Name extends ControlName>(
    name: Name,
    input: Controls[Name],
    act: () => Promise<void> | void,
  ): Promise<void> {
    const opening = openings[name]?.(this.#situation, input);
    const opened = opening && this.incidents.open(opening);
    try {
      await act();
    } catch (error) {
      opened?.withdraw();
      throw error;
    }
    if (opening?.takesMachines === true) this.#struckAt = this.#situation.clock.now();
    opened?.confirm();
  }

  promises(): PromiseState[] {
    const { counts } = this.#situation.fleet.codeHost.registry.queue;
    return promisesOf({
      ...this.checkers,
      jobs: () => counts.completed + counts.lost,
      documents: () => ({
        acknowledged: this.#writer.count,
        missing: this.#missing,
        unknownSince: this.#uncountedSince,
      }),
    });
  }

  #check(rules: () => ScalingRules) {
    const { world, clock, fleet, cluster, lostZones, cutOff } = this.#situation;
    const limits = changingLimits(this.#situation, rules);
    const struckWithin = (ms: number) => clock.now() - this.#struckAt <= ms;
    return {
      fleet: new FleetCheckers(
        fleet,
        rules().scalingMode === 'jobs' ? Object.assign(limits, { jobs: limits }) : limits,
      ),
      cluster: new ClusterCheckers(cluster, {
        nodesStruck: (withinMs) => struckWithin(withinMs) || lostZones.size + cutOff.size > 0,
        searchTroubleMs: (since) => (this.#situation.faults.has('slow-network') ? clock.now() - since : 0),
        isDead: (id) => world.machines.get(id)?.state === 'crashed' || world.observe.instance(id)?.state !== 'running',
        majorityStruck: () => Number.isFinite(this.#struckAt) && this.#situation.hasLostMajority(),
      }),
    };
  }

  #look(): void {
    const colour = this.#noteColour();
    if (colour === 'none') this.#uncountedSince ??= this.#situation.clock.now();
    // Every primary is there as soon as it is not red.
    else if (this.#uncountedSince !== undefined && colour !== 'red') void this.#countDocuments().catch(() => {});
    void this.checkers.fleet.checkAlways();
    this.incidents.look();
    this.#looks += 1;
    const recent = this.#situation.clock.now() - this.#struckAt < recentMs;
    if (this.#looks % looksPerCount === 0 && colour === 'green' && !recent) void this.#countDocuments().catch(() => {});
  }

  #noteColour(): ReturnType<Situation['colour']> {
    const colour = this.#situation.colour();
    if (colour !== this.#colour) this.#note({ at: this.#situation.clock.now(), kind: `cluster-${colour}` });
    this.#colour = colour;
    return colour;
  }

  async #countDocuments() {
    this.#missing = await this.#writer.missing();
    this.#uncountedSince = undefined;
    return { acknowledged: this.#writer.count, missing: this.#missing.length };
  }
}

/** The limits of the fleet, which come with its deployment and change with it. What went on before a change may end by the old ones. */
function changingLimits({ clock, fleet }: Situation, rules: () => ScalingRules) {
  const group = () => fleet.group();
  const now = () => rules().allowedDrainSeconds * 1_000;
  let [shortest, longest] = [now(), now()];
  let ceiling = 0;
  return {
    get allowedDrainTimeMs() {
      shortest = Math.min(shortest, now());
      return shortest;
    },
    get longestDrainTimeMs() {
      longest = Math.max(longest, now());
      return longest;
    },
    get idleTarget() {
      return idleTargetAt(rules(), clock.now());
    },
    get minSize() {
      return group()?.minSize ?? 0;
    },
    /** Busy instances above a lowered maximum end their jobs first. */
    get maxSize() {
      const { maxSize = 0, members = new Map() } = group() ?? {};
      const serving = [...members.values()].filter(({ state }) => /^(Pending|InService)/.test(state)).length;
      ceiling = serving <= maxSize ? maxSize : Math.max(ceiling, maxSize);
      return ceiling;
    },
  };
}
