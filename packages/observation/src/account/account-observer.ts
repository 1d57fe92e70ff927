import { EventEmitter, once } from 'node:events';
import { tags } from '@drover/core/names/runner-fleet';
import { type DroverIo, serviceNow } from '@drover/operator/io';
import type { LifeEvent, Observation, Reading } from '../api.ts';
import { FleetHistory } from '../fleet-history.ts';
import { type FleetInputs, inputsWithTypes, type ObservedFleet } from '../observed-inputs.ts';
import { SearchNodes } from '../search-readings.ts';
import { rota } from './rota.ts';
import type { Watched } from './stacks.ts';
import { type AccountFacts, factsOf } from './view/facts.ts';
import { fleetOf, lifeOf, observationOf } from './view/observation.ts';

const minute = 60_000;

/** Reads an account again and again, each part as often as it is worth, and shows all of it as one observation. */
export class AccountObserver {
  readonly #io: DroverIo;
  readonly #facts: AccountFacts;
  readonly #rotas: readonly ReturnType<typeof rota>[];
  readonly #history = new FleetHistory();
  readonly #nodes: SearchNodes | undefined;
  readonly #over = new AbortController();
  readonly #news = new EventEmitter().setMaxListeners(0);

  constructor(io: DroverIo, watched: Watched) {
    this.#io = io;
    this.#facts = factsOf(watched, () => serviceNow(io));
    this.#nodes = watched.cluster && new SearchNodes(watched.cluster.clusterName);
    const { groups, activities, alarms, functions, jobs, platform, search, doctor, cost, past } = this.#facts;
    const aws = [groups, activities, alarms, functions, ...(jobs === undefined ? [] : [jobs])];
    // A source that does not respond does not hold up the others.
    const lanes = [
      [...aws.flatMap(({ sources }) => sources), ...(platform?.memorySources ?? [])],
      platform?.sources ?? [],
      search?.sources ?? [],
    ];
    const slow = [...doctor.sources, ...(past?.sources ?? []), ...(cost?.sources ?? [])];
    this.#rotas = [...lanes, slow].map((sources) => rota(io.clock, () => serviceNow(io), sources));
  }

  start(): void {
    const run = (one: ReturnType<typeof rota>) => one.run(this.#over.signal, () => this.#news.emit('read'));
    const [slow, ...lanes] = this.#rotas.toReversed();
    for (const lane of lanes) void run(lane).catch(() => {});
    void this.#triedOnce(lanes)
      .then(() => run(slow!))
      .catch(() => {});
    void this.#sample().catch(() => {});
  }

  /** Resolves when everything has been asked for once: then comes the part that takes many calls and changes slowly. */
  async #triedOnce(lanes: readonly ReturnType<typeof rota>[]): Promise<void> {
    const isOpen = ({ readAt, problem }: Reading) => readAt === undefined && problem === undefined;
    while (lanes.some(({ readings }) => readings().some(isOpen))) await this.next(this.#over.signal);
  }

  stop(): void {
    this.#over.abort();
  }

  async latest(): Promise<Observation> {
    return observationOf(this.#facts, {
      now: serviceNow(this.#io),
      history: this.#history.samples,
      readings: this.#rotas.flatMap(({ readings }) => readings()),
      nodes: this.#nodes,
    });
  }

  /** Resolves when something has been read again. */
  async next(signal: AbortSignal): Promise<void> {
    await once(this.#news, 'read', { signal: AbortSignal.any([signal, this.#over.signal]) });
  }

  lifeOf(instanceId: string): readonly LifeEvent[] {
    return lifeOf(this.#facts, serviceNow(this.#io), instanceId);
  }

  /** Of the fleet, for what-if; or why they are not known. */
  fleetInputs(): FleetInputs | string {
    const { watched, groups } = this.#facts;
    if (watched.fleet === undefined) return 'No runner fleet is among the stacks, so there are no inputs to change.';
    const { groupName, config, scaling, types } = watched.fleet;
    const group = groups.group(groupName);
    if (group === undefined) return 'The group of the fleet has not been read yet.';
    const fleet: ObservedFleet = {
      group,
      mode: config.scalingMode,
      idleTarget: scaling.idleTarget,
      idleTargetSchedules: scaling.idleTargetSchedules,
      allowedDrainSeconds: config.allowedDrainTimeMs / 1_000,
      instanceType: group.Instances?.[0]?.InstanceType,
      volumeGiB: undefined,
    };
    const ofTypes = types.flatMap(({ type, groupName: name }): (readonly [string, ObservedFleet])[] => {
      const own = groups.group(name);
      const tag = (key: string) => own?.Tags?.find(({ Key }) => Key === key)?.Value;
      if (own === undefined) return [];
      const idleTarget = Number(tag(tags.idleTarget) ?? 0);
      const instanceType = tag(tags.instanceType);
      return [[type, { ...fleet, group: own, idleTarget, idleTargetSchedules: [], instanceType }]];
    });
    return inputsWithTypes(fleet, Object.fromEntries(ofTypes));
  }

  async #sample(): Promise<void> {
    await this.next(this.#over.signal);
    while (!this.#over.signal.aborted) {
      const now = serviceNow(this.#io);
      this.#history.add(now, fleetOf(this.#facts, now));
      await this.#io.clock.sleep(minute, this.#over.signal);
    }
  }
}
