import { groupNames } from '@drover/core/names/search-cluster';
import type { DroverIo } from '@drover/operator/io';
import type { LocalWorld } from './local-world.ts';

const minute = 60_000;

/** A story that is played to its end, and what was promised in it. */
class Story {
  readonly promises: { readonly promise: string; readonly kept: boolean }[] = [];
  readonly #io: DroverIo;
  readonly #local: LocalWorld;
  readonly #begun: number;

  constructor(io: DroverIo, local: LocalWorld) {
    this.#io = io;
    this.#local = local;
    this.#begun = local.clock.now();
  }

  say(line: string): void {
    const minutes = Math.round((this.#local.clock.now() - this.#begun) / minute);
    this.#io.stdout(`${String(minutes).padStart(4)} min  ${line}\n`);
  }

  promise(promise: string, kept: boolean): void {
    this.promises.push({ promise, kept });
  }

  /** Lets time pass until it has come true. */
  async until(promise: string, reached: () => boolean, minutes: number): Promise<void> {
    const kept = await this.#local.clock.runUntil(reached, minutes * minute);
    this.promise(promise, kept);
    this.say(kept ? promise : `BROKEN: ${promise}`);
  }
}

/** `drover local --once`: a fixed story, as fast as the machine can; every invariant is checked on the way. */
export async function playStory(io: DroverIo, local: LocalWorld): Promise<number> {
  const story = new Story(io, local);
  const { fleet: fleetCheckers, cluster: clusterCheckers } = local.watch.checkers;
  await playFleet(story, local);
  await playCluster(story, local);
  await local.clock.advance(50 * minute);
  fleetCheckers.checkAtRest();
  await fleetCheckers.checkAlways();
  clusterCheckers.stop();
  await endWriting(story, local);
  const violations = [...fleetCheckers.violations, ...clusterCheckers.violations];
  story.promise(
    `every invariant held, in ${fleetCheckers.checks + clusterCheckers.checks} checks`,
    violations.length === 0,
  );
  story.promise('no job was lost', local.fleet.codeHost.registry.queue.losses.length === 0);
  return conclude(io, story, violations);
}

async function playFleet(story: Story, local: LocalWorld): Promise<void> {
  const { registry } = local.fleet.codeHost;
  const online = () => registry.runners.filter((runner) => registry.isOnline(runner)).length;
  const { idleTarget, scalingMode } = local.liveInputs.fleet;
  const group = () => local.world.observe.group(local.fleet.groupName);
  const wanted = Math.max(group()?.minSize ?? 0, idleTarget);
  await story.until('the runners are online', () => online() >= wanted, 60);
  const most = Math.max(1, Math.min(online() + 4, group()?.maxSize ?? 0));
  const grown = most > online() ? ', and all of them run: the fleet grew' : ', and all of them run';
  const queued = `${most} jobs were queued on ${online()} idle runners${grown}`;
  const jobs = Array.from({ length: most }, () => local.enqueue((scalingMode === 'jobs' ? 20 : 10) * minute));
  const allRun = () => jobs.every(({ state }) => state !== 'queued');
  await story.until(queued, allRun, 60);
  const job = jobs.find(({ state, runnerName }) => state === 'running' && runnerName !== undefined);
  const instance = job?.runnerName ?? '';
  await local.call('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
    InstanceId: instance,
    ShouldDecrementDesiredCapacity: false,
  });
  story.say(`${instance} is to be terminated while it runs a job`);
  await story.until('its job was finished first', () => job?.state === 'completed', 40);
  await story.until('then it went', () => local.world.observe.member(instance) === undefined, 40);
}

async function playCluster(story: Story, { cluster }: LocalWorld): Promise<void> {
  story.promise('the cluster has formed and is green', (await cluster.health()) === 'green');
  const dataGroup = groupNames.data(cluster.clusterName);
  const all = cluster.inService(dataGroup);
  const [node = ''] = all;
  await cluster.terminate(node, { replace: true });
  story.say(`the data node ${node} is to be terminated while documents are written`);
  const replaced = () => cluster.stateOf(node) === undefined && cluster.inService(dataGroup).length >= all.length;
  await story.until('its shards moved away, it went, and another is in service', replaced, 6 * 60);
}

async function endWriting(story: Story, { writer, clock, cluster }: LocalWorld): Promise<void> {
  writer.stop();
  await clock.advance(2 * minute);
  story.promise('the cluster is green again', (await cluster.health()) === 'green');
  const missing = await writer.missing();
  story.promise(`none of ${writer.count} acknowledged documents is lost`, missing.length === 0);
}

function conclude(io: DroverIo, { promises }: Story, violations: readonly string[]): number {
  io.stdout('\n');
  for (const { promise, kept } of promises) io.stdout(`${kept ? 'kept  ' : 'BROKEN'}  ${promise}\n`);
  for (const violation of violations) io.stdout(`        ${violation}\n`);
  return promises.every(({ kept }) => kept) ? 0 : 1;
}
