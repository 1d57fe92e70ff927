import { every, type JournalEntry } from '@drover/cloud-engine';
import { functionName } from '@drover/core/names/runner-fleet';
import type { Finding } from '@drover/operator/doctor/findings';
import { findingsOfTypes } from '@drover/operator/fleet/doctor/checks';
import type { DoctorFacts } from '@drover/operator/fleet/doctor/facts';
import { recentBootFailures } from '@drover/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';
import { machineFault } from '../local/view/machine-fault.ts';
import { fleetFactsOf } from './fleet-facts.ts';
import { type Danger, TruthAccount } from './truth.ts';

const minute = 60_000;
const everyMs = 5 * minute;
/** One that runs every minute and has not succeeded for this long does not do its work. */
const idleFunctionMs = 10 * minute;

/** The account of a fleet's truth, on facts of the world. */
export class FleetTruth {
  readonly account = new TruthAccount();
  readonly #fleet: DeployedFleet;
  readonly #expect: (holds: boolean, violation: string) => void;
  readonly #succeededAt = new Map<string, number>();
  #troubledAt: number;

  constructor(fleet: DeployedFleet, expect: (holds: boolean, violation: string) => void) {
    this.#fleet = fleet;
    this.#expect = expect;
    this.#troubledAt = fleet.clock.now();
    fleet.world.engine.journal.subscribe((entry) => this.#note(entry));
    every(fleet.clock, everyMs, () => this.#look());
  }

  /** Findings of doctor's pure part on the world as it is; undefined while there is no fleet. */
  findings(): readonly Finding[] | undefined {
    const [facts, ...types] = this.#facts();
    return facts && findingsOfTypes(facts, types.map(ofType));
  }

  /** Of each group that exists; none while there is no fleet. */
  #facts(): readonly DoctorFacts[] {
    const { groupName, groupNames, world } = this.#fleet;
    if (world.observe.group(groupName) === undefined) return [];
    return groupNames.flatMap((name) => {
      const group = this.#fleet.group(name);
      const type = name === groupName ? undefined : name.slice(groupName.length + 1);
      return group === undefined ? [] : [fleetFactsOf(this.#fleet, group, type)];
    });
  }

  #note({ at, kind, source, name, subject = '', detail }: JournalEntry): void {
    if (source === 'aws.lambda' && name === 'succeeded') this.#succeededAt.set(subject, at);
    const deploys = source === 'aws.cloudformation' && kind === 'transition';
    const acts =
      kind === 'request' && source === 'aws.autoscaling' && detail?.by === 'root' && !name.startsWith('Describe');
    if (kind === 'fault' || deploys || acts) this.#troubledAt = at;
  }

  #look(): void {
    const all = this.#facts();
    const [facts, ...types] = all;
    if (facts === undefined) return;
    const { now } = facts;
    // A boot that a fault has broken is ended later, and counts until the brake is off.
    // A group that may have no instance is being taken down, for as long as its last job takes.
    // A job may keep a machine that a fault has struck for more than an hour.
    const isTroubled = ({ group, bootFailures }: DoctorFacts) =>
      recentBootFailures(bootFailures, now).length > 0 ||
      group.maxSize === 0 ||
      group.members.some(({ id, state }) => machineFault(this.#fleet.world, id, state));
    if (all.some(isTroubled)) this.#troubledAt = now;
    const findings = findingsOfTypes(facts, types.map(ofType));
    const look = { now, findings, dangers: this.#present(facts, all), troubledAt: this.#troubledAt };
    for (const untruth of this.account.note(look)) this.#expect(false, untruth);
  }

  /** Everything that is broken or in danger now and can be read. */
  #present({ platform, jobs, pool, now }: DoctorFacts, all: readonly DoctorFacts[]): readonly Danger[] {
    const { groupName, world } = this.#fleet;
    const worker = functionName(groupName, jobs === undefined ? 'record_metric' : 'demand');
    const isStruck = (...kinds: ('throttle' | 'error' | 'timeout')[]) =>
      world.engine.faults.lasts({ service: 'lambda', operation: worker }, kinds);
    // One that never succeeds counts from when it was first looked at.
    const succeededAt = this.#succeededAt.get(worker) ?? now;
    this.#succeededAt.set(worker, succeededAt);
    return [
      ...(platform.kind === 'failed' ? [{ id: 'GitHub is away', checks: ['platform-unreachable'] }] : []),
      ...(platform.kind === 'limited' ? [{ id: 'the requests are used up', checks: ['rate-limit-low'] }] : []),
      ...(isStruck('throttle') ? [{ id: `${worker} is throttled`, checks: ['function-throttling'] }] : []),
      ...(isStruck('error', 'timeout')
        ? [{ id: `${worker} fails`, checks: ['function-failing', 'function-timeout'] }]
        : []),
      ...(all.some(({ bakes }) => bakes?.lastFailure !== undefined)
        ? [{ id: 'the last bake failed', checks: ['image-bakes-fail'] }]
        : []),
      ...(pool?.members.some(({ state }) => state === 'Warmed:Running') === true
        ? [{ id: 'a member of the warm pool runs', checks: ['warm-pool-running'] }]
        : []),
      ...all
        .filter(({ group: { desired, members } }) => desired > members.filter(({ state }) => stays(state)).length)
        .map(({ type }) => ({
          id: `instances ${type === undefined ? '' : `of ${type} `}are missing`,
          checks: missingChecks,
        })),
      ...(now - succeededAt > idleFunctionMs ? [{ id: `${worker} has not succeeded`, checks: idleChecks }] : []),
    ];
  }
}

const ofType = (facts: DoctorFacts) => ({ type: facts.type ?? '', facts });
const stays = (state: string) => !/^(Terminating|Terminated)/.test(state);

const missingChecks = ['instances-missing', 'launch-failing', 'zone-without-capacity', 'configuration-failing'];
const idleChecks = [
  'function-failing',
  'function-throttling',
  'function-timeout',
  'demand-signal-old',
  'platform-unreachable',
  'rate-limit-low',
  'credentials-rejected',
];
