import { every, type JournalEntry } from '@drover/cloud-engine';
import { workerName } from '@drover/cloud-github';
import type { GroupView, MemberView } from '@drover/cloud-world';
import { agentKeys } from '@drover/core/names/agent-keys';
import {
  alarmName,
  functionName,
  functionsOf,
  runnerService,
  type ScalingMode,
  tokenSecretPrefix,
  typeMemoryKey,
} from '@drover/core/names/runner-fleet';
import type { Memory } from '@drover/runner-fleet';
import { type DeployedFleet, wholeGroupName } from '@drover/stage/fleet';
import type { GroupLimits } from '@drover/stage/testing';
import type { FleetWatch } from '../checkers/fleet-watch.ts';
import { platformOf } from '../truth/fleet-facts.ts';
import { parsed } from '../truth/parsed.ts';
import { Lasting } from './lasting.ts';
import { LaunchWatch } from './launch-watch.ts';
import { accountLoops, launchesWhileAway } from './launches.ts';
import { leftByFleet } from './left-behind.ts';
import { accountMinute, type InstanceMinute, type Reason, wasteful } from './money.ts';
import { waitingJobs } from './waiting-jobs.ts';
import { mostWastedMinutes, WastedMinutes } from './wasted.ts';

const minute = 60_000;
/** Beside the longest boot drawn: the hook's timeout and a margin. */
const bootMarginMinutes = 35;
const usualBootMs = 20 * minute;
/** An hour after any act ended nothing of it is left. */
const mostLeftMinutes = 60;
/** A host without a runner that leaves completes its hook by itself, at the latest when it has been alone for five minutes. */
const mostFinishedMinutes = 8;
/** Sweeps leave the secrets of the last hour alone. */
const sweptAfterMs = 60 * minute;
/** The slowest schedule comes every quarter of an hour. */
const scheduleMs = 20 * minute;

/** Written by Puppet at the boot of a host. */
const configFile = '/etc/runner-agent/config.json';

const isSettled = (state: string | undefined) => /^(InService|Warmed:(Stopped|Hibernated|Running))$/.test(state ?? '');

/** A group of the fleet, with the promises of its inputs as they are now. */
interface LedgerGroup {
  readonly name: string;
  /** Undefined: no such type is known. */
  limits(): GroupLimits | undefined;
}

/** The account of the money of one group of a fleet: why each instance was there in each minute, and which launches were for nothing. */
export class FleetLedger {
  /** Instance-minutes by reason. */
  readonly minutes: Partial<Record<Reason, number>> = {};
  readonly #fleet: DeployedFleet;
  readonly #groupName: string;
  readonly #limits: () => GroupLimits | undefined;
  readonly #watch: FleetWatch;
  readonly #expect: (holds: boolean, violation: string) => void;
  readonly #launches: LaunchWatch;
  readonly #wasted = new WastedMinutes();
  readonly #booting = new Map<string, number>();
  readonly #updating = new Set<string>();
  /** Instances whose machine failed: they are replaced by rules of their own, so that they count at rest only. */
  readonly #broken = new Set<string>();
  readonly #told = new Set<string>();
  readonly #left = new Lasting(mostLeftMinutes);
  readonly #finished = new Lasting(mostFinishedMinutes);
  readonly #inService = new Set<string>();
  /** When each token secret was seen first, by its instance. */
  readonly #secretSeen = new Map<string, number>();
  /** When schedules last called a function that does not exist. */
  readonly #callsNothing = new Map<string, number>();
  /** Where the functions keep their memory, once they have written it. */
  #memory: { readonly bucket: string; readonly key: string } | undefined;
  #awaySince: number | undefined;
  #owed = new Set<string>();
  /** How many were wanted and not there when GitHub went away. */
  #missing = 0;
  /** While GitHub is away, and in the last minute. */
  #sizedByPerson = { whileAway: false, now: false };
  #worked = false;
  #faults = 0;

  constructor(
    fleet: DeployedFleet,
    group: LedgerGroup,
    watch: FleetWatch,
    expect: (holds: boolean, violation: string) => void,
  ) {
    this.#fleet = fleet;
    this.#groupName = group.name;
    this.#limits = group.limits;
    this.#watch = watch;
    const named = this.#isOfType ? `${group.name}: ` : '';
    this.#expect = (holds, violation) => expect(holds, `${named}${violation}`);
    this.#launches = new LaunchWatch(watch, {
      isOurs: (id) => this.#owns(fleet.world.observe.member(id)?.group.name),
      isOfOtherMode: (id) => (this.#madeFor(id) ?? this.#mode) !== this.#mode,
    });
    fleet.world.engine.journal.subscribe((entry) => this.#note(entry));
    every(fleet.clock, minute, () => this.#look());
  }

  /** Instances that have been there for nothing for too long, once faults have stopped. */
  checkAtRest(): void {
    for (const id of this.#wasted.tooLong(this.#mode)) this.#expect(false, `instance ${id} is still there for nothing`);
  }

  /** Also what its fallback has. */
  #owns(groupName: string | undefined): boolean {
    return groupName !== undefined && wholeGroupName(groupName, [this.#groupName]) === this.#groupName;
  }

  get #isOfType(): boolean {
    return this.#groupName !== this.#fleet.groupName;
  }

  /** A fleet whose last type was removed has no right on what is remembered of it. */
  get #hasTypes(): boolean {
    const { groupName, groupNames, world } = this.#fleet;
    return groupNames.some((name) => name !== groupName && world.observe.group(name) !== undefined);
  }

  /** Key of the memory of the functions for this group. */
  get #memoryKey(): string {
    return this.#isOfType
      ? typeMemoryKey(this.#groupName.slice(this.#fleet.groupName.length + 1))
      : 'fleet-memory.json';
  }

  get #mode(): ScalingMode {
    const demand = functionName(this.#fleet.groupName, 'demand');
    return this.#fleet.world.observe.functionNames().includes(demand) ? 'jobs' : 'idle';
  }

  /** Undefined before Puppet has configured the host. */
  #madeFor(instanceId: string): ScalingMode | undefined {
    const config = this.#fleet.world.machines.get(instanceId)?.files.get(configFile) ?? '{}';
    return (JSON.parse(config) as { readonly [agentKeys.scalingMode]?: ScalingMode })[agentKeys.scalingMode];
  }

  #note(entry: JournalEntry): void {
    const { kind, source, name, subject = '' } = entry;
    const { groupName } = this.#fleet;
    this.#launches.note(entry);
    // A fault of one machine is no reason for the others to stay.
    if (kind === 'fault' && source !== 'machine') this.#faults += 1;
    if (kind === 'fault' && source === 'machine' && name !== 'slow-boot') this.#broken.add(subject);
    if (source === 'aws.cloudformation' && kind === 'transition' && !subject.includes('/')) {
      if (name.endsWith('_IN_PROGRESS')) this.#updating.add(subject);
      else this.#updating.delete(subject);
    }
    const [, bucket, key] = name === 'PutObject' ? (/^arn:aws:s3:::([^/]+)\/(.+)$/.exec(subject) ?? []) : [];
    // A fleet that was destroyed and deployed again has another bucket.
    if (bucket !== undefined && key === this.#memoryKey) this.#memory = { bucket, key };
    const sizes = name === 'SetDesiredCapacity' || name === 'UpdateAutoScalingGroup';
    if (kind === 'request' && sizes && subject.endsWith(`/${this.#groupName}`) && entry.detail?.by === 'root')
      this.#sizedByPerson = { whileAway: true, now: true };
    const { detailType, error, rule } = entry.detail ?? {};
    if (source === 'aws.events' && detailType === 'Scheduled Event' && error === 'ResourceNotFoundException')
      this.#callsNothing.set(String(rule), entry.at);
    if (source !== 'aws.lambda' || name !== 'succeeded') return;
    if (subject === functionName(groupName, this.#mode === 'jobs' ? 'demand' : 'record_metric')) this.#worked = true;
  }

  #look(): void {
    const { observe } = this.#fleet.world;
    const group = this.#fleet.group(this.#groupName);
    if (group === undefined && observe.group(this.#fleet.groupName) === undefined) return;
    const good = this.#isGood();
    if (!good) this.#launches.strikeAll();
    if (group !== undefined) this.#lookAtGroup(group, good);
    this.#lookAtRemains(group, good);
    this.#worked = false;
    this.#faults = 0;
  }

  #lookAtGroup(group: GroupView, good: boolean): void {
    this.#lookAtOutage(group);
    this.#lookAtInstances(group, Number(good));
    this.#lookAtFinished(group, good);
    const now = this.#fleet.clock.now();
    const alarmOn = this.#isOn(alarmName.bootsFailing(this.#fleet.groupName));
    const loop = accountLoops(this.#launches.recent(now), { desired: group.desiredCapacity, alarmOn, now });
    this.#once('loop', loop);
  }

  /** An instance that was in service, leaves and has nothing to finish goes at once, not when the time for its drain is over. */
  #lookAtFinished({ members }: GroupView, good: boolean): void {
    for (const { instanceId, state } of members.values()) if (state === 'InService') this.#inService.add(instanceId);
    const finished = [...members.values()].filter(
      ({ instanceId, state }) => state === 'Terminating:Wait' && this.#hasFinished(instanceId),
    );
    const words = finished.map(
      ({ instanceId }) => `instance ${instanceId} has nothing to finish and waits for its hook`,
    );
    for (const violation of this.#finished.note(words, good))
      this.#expect(false, `${violation}, for ${mostFinishedMinutes} minutes, at ${this.#now}`);
  }

  #hasFinished(instanceId: string): boolean {
    const machine = this.#fleet.world.machines.get(instanceId);
    if (machine?.state !== 'up' || this.#broken.has(instanceId) || !this.#inService.has(instanceId)) return false;
    const runs = /^(active|activating|deactivating)$/.test(machine.serviceState(runnerService));
    const works = machine.processes().some(({ name }) => name === workerName);
    return !runs && !works && this.#fleet.codeHost.registry.index.named(instanceId)?.job === undefined;
  }

  #firstSeen(secretOf: string): number {
    const at = this.#secretSeen.get(secretOf) ?? this.#fleet.clock.now();
    this.#secretSeen.set(secretOf, at);
    return at;
  }

  /** A type that was removed has no group. */
  #lookAtRemains(group: GroupView | undefined, good: boolean): void {
    const groupName = this.#groupName;
    const { bucket = '', key = '' } = this.#memory ?? {};
    const stored = this.#memory && this.#fleet.world.observe.object(bucket, key);
    const { scaleSets } = this.#fleet.codeHost;
    const { observe } = this.#fleet.world;
    const prefix = tokenSecretPrefix(groupName);
    const now = this.#fleet.clock.now();
    const schedules = [...this.#callsNothing].filter(([, at]) => now - at < scheduleMs);
    const left = leftByFleet({
      groupName,
      mode: this.#mode,
      removed: group === undefined,
      hasTypes: this.#hasTypes,
      // It is closed when the last of its jobs has ended.
      scaleSets: scaleSets.all
        .filter((set) => scaleSets.statistics(set).totalRunningJobs === 0)
        .map(({ settings }) => settings.name),
      memory: parsed<Memory>(stored),
      memoryBytes: stored?.length ?? 0,
      instances: new Set(group?.members.keys()),
      session: this.#mode === 'jobs' ? scaleSets.named(groupName)?.session?.id : undefined,
      secrets: observe
        .secretNames()
        .flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
        .filter((id) => now - Math.max(this.#watch.tokenUselessSince(id) ?? now, this.#firstSeen(id)) > sweptAfterMs),
      schedules: schedules.map(([rule]) => rule),
    });
    for (const violation of this.#left.note(left, good))
      this.#expect(false, `${violation}, for ${mostLeftMinutes} minutes, at ${this.#now}`);
  }

  /** Nothing was in the way: the function came through, no call was struck or over its limit, the deployment did not change. */
  #isGood(): boolean {
    const { observe } = this.#fleet.world;
    const refreshed = observe.newestRefresh(this.#groupName);
    const isOver = refreshed === undefined || refreshed.endTime !== undefined;
    const isUndisturbed = this.#faults === 0 && this.#updating.size === 0 && platformOf(this.#fleet).kind === 'ok';
    return this.#worked && isUndisturbed && isOver && !this.#functionIsAway(this.#fleet.groupName);
  }

  /** A function that cannot run is in the way also in the minutes in which it would not: boots wait for the mirror that one of them fills. */
  #functionIsAway(groupName: string): boolean {
    const { faults } = this.#fleet.world.engine;
    return functionsOf(this.#mode).some((suffix) =>
      faults.lasts({ service: 'lambda', operation: functionName(groupName, suffix) }, ['throttle', 'error', 'timeout']),
    );
  }

  #lookAtOutage(group: GroupView): void {
    const point = { service: 'platform', operation: 'dispatch' };
    const now = this.#fleet.clock.now();
    if (!this.#fleet.world.engine.faults.lasts(point, ['error', 'timeout'])) {
      this.#awaySince = undefined;
      this.#told.delete('away');
      return;
    }
    if (this.#awaySince === undefined) {
      this.#awaySince = now;
      this.#owed = new Set();
      this.#missing = Math.max(0, group.desiredCapacity - this.#watch.servingIn(group.name));
      this.#sizedByPerson.whileAway = false;
    }
    const since = this.#awaySince;
    for (const { instanceId } of group.members.values())
      if (this.#isOwed(instanceId, since)) this.#owed.add(instanceId);
    const launches = this.#launches.recent(now);
    // The group replaces a launch that is given up; how often that may happen is the account of launches in a row.
    for (const { instanceId, servedAt, endedAt = Number.NEGATIVE_INFINITY } of launches)
      if (servedAt === undefined && endedAt >= since) this.#owed.add(instanceId);
    if (this.#sizedByPerson.whileAway || this.#updating.size > 0) return;
    const useless = launchesWhileAway({
      mode: this.#mode,
      since,
      launches,
      owed: this.#missing + this.#owed.size,
      serving: this.#watch.servingIn(group.name),
      floor: Math.max(group.minSize, this.#idleTarget ?? Number.POSITIVE_INFINITY),
    });
    this.#once('away', useless === 0 ? undefined : `${useless} instances were launched while GitHub was away`);
  }

  /** A lasting violation is reported when it begins. */
  #once(what: string, violation: string | undefined): void {
    this.#expect(violation === undefined || this.#told.has(what), `${violation}, at ${this.#now}`);
    if (violation === undefined) this.#told.delete(what);
    else this.#told.add(what);
  }

  /** AWS or a person took it away, so that the group launches another whatever we do. */
  #isOwed(instanceId: string, since: number): boolean {
    const { terminatingAt, begunBy, crashedAt, reclaimedAt } = this.#watch.fateOf(instanceId);
    if ((crashedAt ?? reclaimedAt) !== undefined) return true;
    return terminatingAt !== undefined && terminatingAt >= since && begunBy !== 'us';
  }

  get #idleTarget(): number | undefined {
    const limits = this.#limits();
    return limits?.jobs?.idleTarget ?? limits?.idleTarget;
  }

  #lookAtInstances(group: GroupView, good: number): void {
    const mode = this.#mode;
    const idleTarget = this.#idleTarget ?? Number.POSITIVE_INFINITY;
    const instances = this.#instances(group, good);
    const reasons = accountMinute({
      instances,
      minSize: group.minSize,
      idleTarget,
      waitingJobs: this.#waitingJobs(
        instances.filter(({ busy, state = '' }) => busy && /^(Pending|InService)/.test(state)).length,
      ),
      mostBootMinutes: (this.#limits()?.longestBootMs ?? usualBootMs) / minute + bootMarginMinutes,
      bootAlarmOn: this.#isOn(alarmName.bootsFailing(this.#fleet.groupName)),
    });
    for (const reason of reasons.values()) this.minutes[reason] = (this.minutes[reason] ?? 0) + 1;
    const late = this.#wasted.note({
      mode,
      desired: group.desiredCapacity,
      sizedByPerson: this.#sizedByPerson.now,
      good: good === 1,
      moves: instances.some(({ state }) => !isSettled(state)),
      ids: [...reasons].flatMap(([id, reason]) => (wasteful.has(reason) ? [id] : [])),
    });
    this.#sizedByPerson.now = false;
    for (const id of late)
      this.#expect(
        this.#broken.has(id),
        `instance ${id} has had no other reason than ${reasons.get(id)} for ${mostWastedMinutes(mode)} minutes, at ${this.#now}`,
      );
  }

  #instances(group: GroupView, good: number): readonly InstanceMinute[] {
    const { observe, machines } = this.#fleet.world;
    const { version } = group.source.template;
    const members = [...group.members.values()].map((member) => this.#minuteOf(member, version, good));
    const strays = observe
      .instances()
      .filter(({ id, state, tags }) => {
        const isOurs = this.#owns(tags['aws:autoscaling:groupName']);
        return isOurs && /^(pending|running)$/.test(state) && !group.members.has(id) && machines.get(id) !== undefined;
      })
      .map(({ id }) => ({
        id,
        state: undefined,
        busy: false,
        dead: false,
        outdated: false,
        bootMinutes: 0,
        wasted: this.#wasted.of(id),
      }));
    for (const id of [...this.#booting.keys()]) if (!group.members.has(id)) this.#booting.delete(id);
    return [...members, ...strays];
  }

  #minuteOf({ instanceId: id, state, template }: MemberView, current: string, good: number): InstanceMinute {
    const { machines, observe } = this.#fleet.world;
    const machine = machines.get(id);
    if (state.startsWith('Pending')) this.#booting.set(id, (this.#booting.get(id) ?? 0) + good);
    const hasWorker = machine?.processes().some(({ name }) => name === workerName) === true;
    return {
      id,
      state,
      busy: hasWorker || this.#fleet.codeHost.registry.index.named(id)?.job !== undefined,
      dead: machine?.state === 'crashed' || observe.instance(id)?.state === 'terminated',
      outdated: template.version !== current,
      bootMinutes: this.#booting.get(id) ?? 0,
      wasted: this.#wasted.of(id),
    };
  }

  /** A job on an instance that leaves counts as assigned until it is over, as the fleet's own formula has it. */
  #waitingJobs(busy: number): number {
    const { scaleSets, registry } = this.#fleet.codeHost;
    const set = scaleSets.named(this.#groupName);
    return waitingJobs({
      scaleSetId: set?.id,
      assigned: set === undefined ? 0 : scaleSets.statistics(set).totalAssignedJobs,
      busy,
      waiting: registry.queue.waiting.map(({ scaleSetId }) => scaleSetId),
      takesAll: this.#fleet.groupNames.length === 1 || (this.#mode === 'idle' && !this.#isOfType),
    });
  }

  #isOn(alarm: string): boolean {
    return this.#fleet.world.observe.alarms().some(({ name, state }) => name === alarm && state === 'ALARM');
  }

  get #now(): string {
    return new Date(this.#fleet.clock.now()).toISOString();
  }
}
