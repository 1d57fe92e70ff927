import { type Random, SeededRandom } from '@drover/core';
import type { ScalingMode } from '@drover/core/names/runner-fleet';
import { groupNames } from '@drover/core/names/search-cluster';
import { askClusterDoctor, askFleetDoctor } from '@drover/local/truth/real-doctor';
import { type ClusterInputs, clusterStackName } from '@drover/stage/cluster-template';
import { type Act, acts } from './acts.ts';
import { drawInputs } from './draw-inputs.ts';
import { faults, type HistoryFault } from './faults.ts';
import { drawLoss, survivedLosses } from './final-loss.ts';
import { HistoryWorld, longestBootMs, names } from './history-world.ts';
import { drawOptions } from './options/draw-options.ts';
import { judgeOptions } from './options/judge-options.ts';
import { optionFaults } from './options/option-faults.ts';
import { optionActs } from './options/type-acts.ts';

const minute = 60_000;

export interface HistoryOptions {
  readonly seed: number;
  /** In which acts and faults come. @default 48 */
  readonly hours?: number;
  /** @default 10 */
  readonly acts?: number;
  /** @default 10 */
  readonly faults?: number;
  /** Between the last of them and one more loss. @default 150 */
  readonly restMinutes?: number;
  /** Without inputs that are off by default. @default false */
  readonly plain?: boolean;
  /** @default drawn */
  readonly mode?: ScalingMode;
  /** Of the cluster, where others than the drawn ones are wanted. */
  readonly cluster?: ClusterInputs;
  /** Looks at the world every ten minutes, to find out why a seed fails. */
  readonly watch?: (history: HistoryWorld) => void;
}

export interface HistoryResult {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Acts and faults. */
  readonly told: readonly string[];
  readonly faults: number;
  readonly checks: number;
  readonly launches: number;
  readonly jobs: { readonly completed: number; readonly lost: number };
  readonly blames: Readonly<Record<string, number>>;
  readonly documents: number;
  readonly hours: number;
}

/** An act may be refused, stopped and begun again; it has an end within this time after the last fault. */
const longestActMinutes = 36 * 60;
/** After everything is healed: what is there for nothing goes, ended acts have left nothing, two sweeps have come through. */
const usualRestMinutes = 150;
/** A job that was queued last has its machine by then. */
const quietMinutes = 60;
const sweepMinutes = 50;
/** A record is deleted an hour after its node was first seen absent; then one more reap. */
const reapMinutes = 80;
/** Doctor has 20 minutes to name a danger; masters that died are still in their group then. */
const quorumMinutes = 40;

/**
 * Hours of a fleet and a cluster in one world, with acts and faults in any order and overlapping. Then everything heals, and one more
 * loss comes that the configuration survives.
 */
export async function simulateHistory(options: HistoryOptions): Promise<HistoryResult> {
  const { seed, hours = 48, acts: actCount = 10, faults: faultCount = 10 } = options;
  const random = new SeededRandom(seed).fork('history');
  const plain = drawInputs(random.fork('inputs'), options.mode);
  const drawn = options.plain === true ? plain : drawOptions(random.fork('options'), plain);
  const inputs = { ...drawn, cluster: { ...drawn.cluster, ...options.cluster } };
  const history = new HistoryWorld(random, inputs, options.watch);
  try {
    await history.open();
    const startedAt = history.clock.now();
    history.tell(`deployed ${JSON.stringify(history.inputs)}`);
    history.work.start();
    schedule(history, random.fork('acts'), actCount, hours, (fate) => beginAct(history, fate));
    const heals = new Set<() => void>();
    schedule(history, random.fork('faults'), faultCount, hours, (fate) => beginFault(history, fate, heals));
    await history.pass(hours * 60);
    for (const heal of heals) heal();
    await comeRight(history, 'the history');
    await oneMoreLoss(history, random.fork('loss'), options.restMinutes ?? usualRestMinutes);
    await judge(history);
    await judgeOptions(history);
    await askDoctors(history);
    await loseQuorum(history);
    return resultOf(history, seed, startedAt);
  } finally {
    history.close();
  }
}

/** Spreads this number over the time; what cannot be begun at its moment is tried again a little later, as another one. */
function schedule(
  history: HistoryWorld,
  random: Random,
  count: number,
  hours: number,
  begin: (random: Random) => boolean,
): void {
  const endsAt = history.clock.now() + hours * 60 * minute;
  const attempt = () => {
    if (!begin(random) && history.clock.now() < endsAt) history.clock.after(20 * minute, attempt);
  };
  // The last of them have time to be met by something else.
  for (let drawn = 0; drawn < count; drawn++) history.clock.after(random.int(5, hours * 54) * minute, attempt);
}

function beginAct(history: HistoryWorld, random: Random): boolean {
  const [name, act] = random.pick(Object.entries({ ...acts, ...optionActs }));
  return begin(history, name, act);
}

/** Whether it could be begun. */
export function begin(history: HistoryWorld, name: string, act: Act): boolean {
  // An act that is refused at once counts as tried.
  let ended: Promise<void> | undefined;
  try {
    ended = act(history);
  } catch (error) {
    ended = Promise.reject(error);
  }
  if (ended === undefined) return false;
  void history.act(name, () => ended);
  return true;
}

function beginFault(history: HistoryWorld, random: Random, heals: Set<() => void>): boolean {
  const [name, fault] = random.pick(Object.entries({ ...faults, ...optionFaults }));
  const heal = strike(history, name, fault);
  if (heal === undefined) return false;
  const once = () => {
    if (heals.delete(once)) heal();
  };
  heals.add(once);
  history.clock.after(random.int(Math.min(5, fault.longestMinutes), fault.longestMinutes) * minute, once);
  return true;
}

/** Returns how it is healed, if it could strike. */
export function strike(history: HistoryWorld, name: string, fault: HistoryFault): (() => void) | undefined {
  const heal = fault.strike(history);
  if (heal === undefined) return undefined;
  const end = history.troubles.begin(fault.kind);
  history.tell(name);
  return () => {
    heal();
    end();
    history.tell(`${name}: healed`);
  };
}

/** Everything is healed: acts end, and both modules come right by themselves. */
export async function comeRight(history: HistoryWorld, what: string): Promise<void> {
  const ended = await history.until(() => history.troubles.acts.length === 0, longestActMinutes);
  history.expect(ended, `after ${what}: ${history.troubles.acts.join(', ')} has not ended`);
  const limit = 30 + longestBootMs / minute + 60;
  const cluster = await history.until(() => history.clusterIsWell(), limit);
  history.expect(
    cluster,
    `${limit} minutes after ${what} the cluster is ${history.cluster.colour()}: ${history.clusterCheckers.ledger.dangers().join('; ')} ${describe(history)}`,
  );
}

/** In the end no job is queued, so that none waits for a boot. */
export async function rest(history: HistoryWorld, minutes: number): Promise<void> {
  await history.pass(Math.max(0, minutes - quietMinutes));
  history.work.pause();
  await history.pass(Math.min(minutes, quietMinutes));
  // Two sweeps come through in that time.
  if (minutes >= sweepMinutes) history.fleetCheckers.checkAtRest();
  // Until then the record of a node that is gone may be there.
  if (minutes >= reapMinutes) history.clusterCheckers.checkAtRest();
  history.work.resume();
}

async function oneMoreLoss(history: HistoryWorld, random: Random, restMinutes: number): Promise<void> {
  await rest(history, restMinutes);
  const loss = drawLoss(random, survivedLosses(history));
  if (loss === undefined) return;
  const end = history.troubles.begin('nodes');
  history.tell(`one more loss: ${loss.name}`);
  const heal = loss.strike(history);
  await history.pass(40);
  heal();
  end();
  history.tell('one more loss: healed');
  await comeRight(history, `the loss of ${loss.name}`);
}

/** Jobs that are there are served, documents are all there. */
async function judge(history: HistoryWorld): Promise<void> {
  history.work.stop();
  const last = history.work.enqueue(5 * minute);
  const served = await history.until(() => history.work.open === 0, 10 * 60);
  history.expect(served, `${history.work.open} jobs have not ended in ten hours, ${history.work.waiting} still wait`);
  history.expect(last.state === 'completed', `a job at the end is ${last.state}`);
  history.writer.stop();
  await history.pass(10);
  history.expect(history.cluster.colour() === 'green', `the cluster is ${history.cluster.colour()} at the end`);
  const missing = await history.writer.missing();
  history.expect(missing.length === 0, `${missing.length} of ${history.writer.count} acknowledged documents are lost`);
}

/** The real commands, over the wire: they agree with the account of the truth. */
async function askDoctors(history: HistoryWorld): Promise<void> {
  const { fleet, cluster, fleetCheckers, clusterCheckers } = history;
  fleetCheckers.checkDoctor(await history.drive(askFleetDoctor(fleet)));
  clusterCheckers.checkDoctor(await history.drive(askClusterDoctor(cluster, clusterStackName)));
}

/** The last thing that happens: no configuration survives it, and doctor names it. */
async function loseQuorum(history: HistoryWorld): Promise<void> {
  const { world, cluster } = history;
  const masters = history.nodesIn(groupNames.master(names.cluster));
  if (masters.length < 3) return;
  history.troubles.begin('quorum');
  history.tell('most masters are lost');
  for (const id of masters.slice(0, Math.ceil(masters.length / 2))) world.machines.kill(id);
  await history.pass(quorumMinutes);
  const found = await history.drive(askClusterDoctor(cluster, clusterStackName));
  const named = found.find(({ check }) => check === 'quorum-lost');
  history.expect(
    named?.verdict === 'problem',
    `drover cluster doctor says ${named?.verdict} of quorum-lost ${quorumMinutes} minutes after it: ${named?.evidence}`,
  );
}

function resultOf(history: HistoryWorld, seed: number, startedAt: number): HistoryResult {
  const { completed, lost } = history.fleet.codeHost.registry.queue.counts;
  return {
    seed,
    violations: history.violations,
    told: history.told,
    faults: history.faults,
    checks: history.checks,
    launches: history.launches,
    jobs: { completed, lost },
    blames: { ...history.fleetCheckers.blames },
    documents: history.writer.count,
    hours: (history.clock.now() - startedAt) / (60 * minute),
  };
}

function describe({ world, clusterGroups }: HistoryWorld): string {
  const members = clusterGroups.flatMap((name) => {
    const group = world.observe.group(name);
    return [...(group?.members.values() ?? [])].map(({ instanceId, state, zone }) => `${instanceId} ${state} ${zone}`);
  });
  return members.join(', ');
}
