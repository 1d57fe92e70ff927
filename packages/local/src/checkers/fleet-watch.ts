import type { JournalEntry } from '@drover/cloud-engine';
import { runnerFile, workerName } from '@drover/cloud-github';
import type { Observation, World } from '@drover/cloud-world';
import { wholeGroupName } from '@drover/stage/fleet';
import type { InstanceFate } from '../ledger/jobs.ts';
import { type Beginner, whoBegan } from '../ledger/who-began.ts';

/** The history of an instance, as the journal recorded it. */
interface History {
  terminatingAt: number | undefined;
  /** The party that began its termination; certain once the request that began it has ended. */
  begunBy: () => Beginner | undefined;
  reclaimedAt: number | undefined;
  crashedAt: number | undefined;
  /** When it first lost a job without a configuration of its runner. */
  brokenAt: number | undefined;
  /** When the process of its newest job ended. */
  workerEndedAt: number | undefined;
  /** When it left EC2. */
  goneAt: number | undefined;
  registeredAt: number | undefined;
  /** Its group, once that is known. */
  group: string | undefined;
  /** The state that it is in, and since when. */
  state: string;
  since: number;
}

/** An instance in a state, and since when. */
export interface Stay {
  readonly instanceId: string;
  readonly state: string;
  readonly since: number;
}

/** Called for each transition of an instance in its group, with the state that it left. */
type TransitionListener = (left: Stay) => void;

/** Follows every instance through the journal, so that checkers can judge without asking the programs. */
export class FleetWatch {
  readonly #histories = new Map<string, History>();
  readonly #serving: Map<string, number>;
  readonly #observe: Observation;
  readonly #machines: World['machines'];
  readonly #moved: TransitionListener;
  /** When refreshes were started by a request: those of a deployment are started by CloudFormation. */
  readonly #personsRefreshes = new Set<number>();
  faults = 0;
  /** By who was struck and how, e.g. `machine crash`. */
  readonly faultsByKind = new Map<string, number>();
  launches = 0;

  /** Follows the instances of these groups. */
  constructor(world: World, groupNames: readonly string[], moved: TransitionListener) {
    this.#serving = new Map(groupNames.map((name) => [name, 0]));
    this.#observe = world.observe;
    this.#machines = world.machines;
    this.#moved = moved;
    world.engine.journal.subscribe((entry) => this.#note(entry));
  }

  fateOf(instanceId: string): InstanceFate {
    const history = this.#history(instanceId);
    return { ...history, begunBy: history.begunBy() };
  }

  /** Instances that are launching or in service; not those that leave, nor the warm pool. */
  get serving(): number {
    return [...this.#serving.values()].reduce((all, count) => all + count, 0);
  }

  /** The same of one group. */
  servingIn(groupName: string): number {
    return this.#serving.get(groupName) ?? 0;
  }

  /** Instances in a wait state, and since when. */
  waiting(): readonly Stay[] {
    return [...this.#histories].flatMap(([instanceId, { state, since }]) =>
      state.endsWith(':Wait') ? [{ instanceId, state, since }] : [],
    );
  }

  /** Since when a runner has no instance behind it; undefined while it has. */
  ghostSince(instanceId: string): number | undefined {
    const { goneAt, registeredAt, state } = this.#history(instanceId);
    if (state === '') return registeredAt ?? 0;
    return goneAt === undefined ? undefined : Math.max(goneAt, registeredAt ?? 0);
  }

  /** Since when a token of this instance is of no use any more; undefined while it may still be used. */
  tokenUselessSince(instanceId: string): number | undefined {
    const { goneAt, state, since } = this.#history(instanceId);
    if (state === '') return 0;
    if (goneAt !== undefined) return goneAt;
    return state === 'InService' || /^Warmed:(Stopped|Hibernated|Running)$/.test(state) ? since : undefined;
  }

  #note(entry: JournalEntry): void {
    const { source, kind, name, subject = '', at } = entry;
    if (kind === 'fault') this.#fault(entry);
    if (name === 'EC2 Spot Instance Interruption Warning') this.#history(instanceIn(subject)).reclaimedAt ??= at;
    if (source === 'machine' && /-> crashed$/.test(name)) this.#history(subject).crashedAt ??= at;
    if (name === 'process-exit' && entry.detail?.process === workerName) this.#history(subject).workerEndedAt = at;
    if (source === 'platform.job' && entry.detail?.because === 'worker-killed') this.#brokenIf(entry);
    if (source === 'platform.runner' && name === 'registered') this.#history(subject).registeredAt = at;
    if (source === 'aws.ec2' && /-> terminated$/.test(name)) this.#history(subject).goneAt ??= at;
    if (kind === 'request' && name === 'StartInstanceRefresh') this.#personsRefreshes.add(at);
    if (source === 'aws.autoscaling' && kind === 'transition') this.#transition(entry, name.split(' -> ')[1] ?? '');
  }

  #brokenIf({ at, detail }: JournalEntry): void {
    const runner = String(detail?.runner);
    const isBroken = this.#machines.get(runner)?.files.has(runnerFile) === false;
    if (isBroken) this.#history(runner).brokenAt ??= at;
  }

  #transition({ name, subject = '', at }: JournalEntry, to: string): void {
    const history = this.#history(subject);
    history.group ??= this.#groupOf(subject);
    const serving = this.#serving.get(history.group ?? '');
    if (history.group === undefined || serving === undefined) return;
    const { state, since } = history;
    if (name === 'none -> Pending') this.launches += 1;
    if (to === 'Terminating' && history.terminatingAt === undefined) {
      history.terminatingAt = at;
      history.begunBy = this.#beginnerOf(subject, history.group);
    }
    this.#serving.set(history.group, serving + Number(isServing(to)) - Number(isServing(state)));
    history.state = to;
    history.since = at;
    this.#moved({ instanceId: subject, state, since });
  }

  /** One of the followed groups, also for a member of its fallback. */
  #groupOf(instanceId: string): string | undefined {
    const name = this.#observe.member(instanceId)?.group.name;
    return name === undefined ? undefined : wholeGroupName(name, [...this.#serving.keys()]);
  }

  /** The activity shows more once its request has ended. */
  #beginnerOf(instanceId: string, groupName: string): () => Beginner {
    const activity = this.#observe.member(instanceId)?.activity;
    const refreshByPerson = this.#personsRefreshes.has(this.#observe.newestRefresh(groupName)?.startTime ?? -1);
    return () => whoBegan({ cause: activity?.cause ?? '', by: activity?.by, refreshByPerson });
  }

  #fault({ source, name, subject = '', at }: JournalEntry): void {
    this.faults += 1;
    const kind = `${source} ${name}`;
    this.faultsByKind.set(kind, (this.faultsByKind.get(kind) ?? 0) + 1);
    if (name === 'crash' || name === 'boot-failure') this.#history(subject).crashedAt ??= at;
  }

  #history(instanceId: string): History {
    const known = this.#histories.get(instanceId);
    if (known !== undefined) return known;
    const fresh: History = {
      terminatingAt: undefined,
      begunBy: () => undefined,
      reclaimedAt: undefined,
      crashedAt: undefined,
      brokenAt: undefined,
      workerEndedAt: undefined,
      goneAt: undefined,
      registeredAt: undefined,
      group: undefined,
      state: '',
      since: 0,
    };
    this.#histories.set(instanceId, fresh);
    return fresh;
  }
}

/** Of an ARN. */
const instanceIn = (resource: string) => resource.slice(resource.lastIndexOf('/') + 1);

const isServing = (state: string) => /^(Pending|InService)/.test(state);
