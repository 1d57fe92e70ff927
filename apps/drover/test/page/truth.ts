import type { SearchNode } from '@drover/cloud-elasticsearch';
import { workerName } from '@drover/cloud-github';
import type { MemberView } from '@drover/cloud-world';
import { scalingAlarms } from '@drover/core/names/runner-fleet';
import { groupNames } from '@drover/core/names/search-cluster';
import type { LocalWorld } from '../../../../packages/local/src/local/local-world.ts';
import type { Facts } from '../same-facts.test-support.ts';

/** An owner of a world sees its machines, an account does not. */
export type Viewpoint = 'world' | 'account';

/** GitHub hands a job over in this time. */
const handoverMs = 60_000;
/** Below this share of its disk Elasticsearch blocks what a node has (`disk.watermark.flood_stage`). */
const floodStage = 0.05;
const gib = 1024 ** 3;

/**
 * The truth of this moment, by the names under which the page shows it. It is read from machines, their processes, GitHub's
 * registry and the state of Elasticsearch's core, never from an observation.
 */
export function truthOf(local: LocalWorld, journal: JournalTruth, viewpoint: Viewpoint): Facts {
  const { world, fleet } = local;
  const group = world.observe.group(fleet.groupName)!;
  const members = [...group.members.values()];
  const cells = members.map((member) => [member, cellOf(local, member, viewpoint)] as const);
  const jobOn = (id: string, job: number | undefined) => (viewpoint === 'world' ? job : journal.jobHeardOf(id, job));
  const serving = cells.filter(([{ state }]) => !state.startsWith('Warmed:'));
  const busy = serving.filter(([, { works }]) => works).length;
  const scaling = scalingAlarms(fleet.groupName);
  const { queue } = fleet.codeHost.registry;
  const facts: [string, unknown][] = [
    ['desired', group.desiredCapacity],
    ['limits', [group.minSize, group.maxSize]],
    ['busy', busy],
    ['idle', serving.filter(([, { phase }]) => phase === 'idle').length],
    ['queued', queue.waiting.length],
    ['jobs done', journal.done],
    ['jobs lost', journal.lost],
    ['GitHub', gitHubOf(local)],
    ['functions that fail', [...journal.failing].sort()],
    [
      'alarms',
      world.observe
        .alarms()
        .filter(({ name, state }) => state === 'ALARM' && !scaling.includes(name))
        .map(({ name }) => name)
        .sort(),
    ],
    ...world.aws.zones.map((zone): [string, unknown] => [`zone ${zone}`, isLost(local, zone)]),
    ...cells.map(([{ instanceId }, { phase }]): [string, unknown] => [`cell ${instanceId}`, phase]),
    ...cells.map(([{ instanceId: id }, { job }]): [string, unknown] => [`job on ${id}`, jobOn(id, job)]),
    ...nodesOf(local, viewpoint),
    ...clusterOf(local),
    ...pillsOf(local, journal),
  ];
  return new Map(facts.map(([name, value]) => [name, JSON.stringify(value) ?? 'nothing']));
}

/** The layers of the capacity chart at this moment. */
export function layersOf(local: LocalWorld): Readonly<Record<string, number>> {
  const group = local.world.observe.group(local.fleet.groupName)!;
  const cells = [...group.members.values()]
    .filter(({ state }) => !state.startsWith('Warmed:'))
    .map((member) => cellOf(local, member, 'world'));
  const count = (wanted: string) => cells.filter(({ phase, works }) => !works && phase === wanted).length;
  const busy = cells.filter(({ works }) => works).length;
  const [idle, booting, draining] = [count('idle'), count('booting'), count('draining')];
  return {
    busy,
    idle,
    booting,
    draining,
    away: cells.length - busy - idle - booting - draining,
    queued: local.fleet.codeHost.registry.queue.waiting.length,
    desired: group.desiredCapacity,
    max: group.maxSize,
  };
}

interface Cell {
  readonly phase: string;
  /** A job runs on it. */
  readonly works: boolean;
  readonly job: number | undefined;
}

function cellOf(local: LocalWorld, member: MemberView, viewpoint: Viewpoint): Cell {
  const { state, healthy } = member;
  const broken = viewpoint === 'world' ? brokenMachine(local, member) : undefined;
  const { online, job } = runnerOf(local, member.instanceId);
  const works = job !== undefined && online;
  const cell = (phase: string): Cell => ({ phase, works: works && /^(busy|draining)$/.test(phase), job });
  if (broken !== undefined) return cell(broken);
  if (!healthy) return cell('trouble');
  if (state.startsWith('Warmed:')) return cell('pooled');
  if (state.startsWith('Terminating')) return cell('draining');
  if (state.startsWith('Pending')) return cell('booting');
  if (state !== 'InService') return cell('unknown');
  return cell(online === undefined ? 'no-runner' : !online ? 'offline' : works ? 'busy' : 'idle');
}

/** The machine itself: no power, no system, no network, no space. */
function brokenMachine({ world, cluster }: LocalWorld, { instanceId: id, state }: MemberView): string | undefined {
  const machine = world.machines.get(id);
  const power = world.observe.instance(id)?.state ?? 'terminated';
  const isWanted = state === 'InService' || state.endsWith(':Wait') || state.startsWith('Pending');
  if (machine === undefined) return undefined;
  if (!/^(pending|running)$/.test(power) && (isWanted || machine.state === 'crashed') && !state.startsWith('Warmed:'))
    return 'gone';
  if (machine.state === 'crashed') return 'hung';
  const node = cluster.nodes.get(id);
  if (node?.running === true && isCutOff({ cluster }, node)) return 'unreachable';
  if (node !== undefined) return node.freeBytes < node.diskBytes * floodStage ? 'full' : undefined;
  return machine.disk.freeBytes < gib ? 'full' : undefined;
}

function isCutOff({ cluster }: Pick<LocalWorld, 'cluster'>, node: SearchNode): boolean {
  const rest = others(cluster, node);
  return rest.length > 0 && rest.every((other) => !other.canReach(node));
}

const others = ({ nodes }: LocalWorld['cluster'], node: SearchNode): readonly SearchNode[] =>
  [...nodes.values()].filter((other) => other !== node && other.running);

/** Online as GitHub has it; its job as the machine has it, by its Worker. */
function runnerOf({ fleet, world, clock }: LocalWorld, id: string) {
  const { registry } = fleet.codeHost;
  const runner = registry.runners.find(({ name }) => name === id);
  if (runner === undefined) return { online: undefined, job: undefined };
  const hasWorker =
    world.machines
      .get(id)
      ?.processes()
      .some(({ name }) => name === workerName) === true;
  const { dispatchedAt = 0, startedAt } = runner.job ?? {};
  const isHandedOver = startedAt === undefined && clock.now() - dispatchedAt < handoverMs;
  return { online: registry.isOnline(runner), job: hasWorker || isHandedOver ? runner.job?.id : undefined };
}

function gitHubOf({ world }: LocalWorld): string {
  const { faults } = world.engine;
  const asked = { service: 'platform', operation: 'GET /rate_limit' };
  if (faults.lasts(asked, ['error'])) return 'down';
  return faults.lasts(asked, ['throttle']) ? 'rate-limited' : 'up';
}

const isLost = ({ world }: LocalWorld, zone: string): boolean =>
  world.engine.faults.lasts({ service: 'autoscaling', operation: 'Launch', subject: zone }, ['error']);

function nodesOf(local: LocalWorld, viewpoint: Viewpoint): [string, unknown][] {
  const { cluster, world } = local;
  const names: readonly string[] = [groupNames.master(cluster.clusterName), groupNames.data(cluster.clusterName)];
  const { core } = cluster;
  const members = world.observe.members().filter(({ group }) => names.includes(group.name));
  const master = isLed(local) ? core.leader : undefined;
  const elected = members.find(({ instanceId }) => cluster.nodes.get(instanceId) === master);
  return [
    ['elected master', master === undefined ? undefined : elected?.instanceId],
    ...members.map((member): [string, unknown] => [
      `node ${member.instanceId}`,
      nodePhase(local, member, viewpoint, master !== undefined),
    ]),
  ];
}

function nodePhase(local: LocalWorld, member: MemberView, viewpoint: Viewpoint, led: boolean): string {
  const { instanceId: id, state } = member;
  const { core, nodes } = local.cluster;
  const broken = viewpoint === 'world' ? brokenMachine(local, member) : undefined;
  if (broken !== undefined) return broken;
  const node = nodes.get(id);
  if (led && node !== undefined && core.state.shutdowns.has(node.id)) return 'draining';
  if (state.startsWith('Terminating')) return 'draining';
  if (state.startsWith('Pending')) return 'booting';
  if (!led) return 'unknown';
  // The list of nodes leaves out one that no other reaches, before the master takes it out of its state.
  return node !== undefined && core.state.nodes.has(node.id) && !isCutOff(local, node) ? 'idle' : 'trouble';
}

/** A master is elected that a majority follows. */
const isLed = ({ cluster: { core } }: LocalWorld): boolean => core.leader?.running === true && core.canCommit;

function clusterOf(local: LocalWorld): [string, unknown][] {
  const { cluster } = local;
  if (!isLed(local)) {
    return [
      ['cluster', 'unknown'],
      ['way out', hasMajority(local) ? 'an election is under way' : 'a way out is named'],
    ];
  }
  const copies = [...cluster.core.state.routing.values()].flat(2);
  return [
    ['cluster', cluster.colour()],
    ['way out', 'none needed'],
    ['shards', copies.filter(({ state }) => state === 'STARTED' || state === 'RELOCATING').length],
    ['unassigned', copies.filter(({ state }) => state === 'UNASSIGNED').length],
  ];
}

function hasMajority({ cluster }: LocalWorld): boolean {
  const { votingConfig } = cluster.core.state;
  const running = new Set([...cluster.nodes.values()].filter((node) => node.running).map(({ id }) => id));
  return votingConfig.filter((id) => running.has(id)).length * 2 > votingConfig.length;
}

/** The promises: nothing is known of documents while no master is there. */
function pillsOf(local: LocalWorld, { lostByUs }: JournalTruth): [string, unknown][] {
  return [
    ['no job lost by us', lostByUs.length === 0 ? 'kept' : 'broken'],
    ['no document lost', isLed(local) ? 'kept' : 'not known'],
    ['invariants', 'kept'],
  ];
}

/** Facts that the journal alone has. */
export class JournalTruth {
  done = 0;
  lost = 0;
  /** Functions whose newest run failed. */
  readonly failing = new Set<string>();
  /** Lost jobs whose machine had power and whose GitHub was there. */
  readonly lostByUs: number[] = [];
  readonly #world: LocalWorld['world'];
  /** Jobs of machines when they were last alive. */
  readonly #lastJobs = new Map<string, number | undefined>();

  constructor({ world, fleet }: LocalWorld) {
    this.#world = world;
    const { counts } = fleet.codeHost.registry.queue;
    this.done = counts.completed;
    this.lost = counts.lost;
    world.engine.journal.subscribe(({ source, name, subject = '' }) => {
      if (source === 'platform.job' && name === 'completed') this.done += 1;
      if (source === 'platform.job' && name === 'lost') this.lost += 1;
      if (source === 'aws.lambda' && name === 'failed') this.failing.add(subject);
      if (source === 'aws.lambda' && name === 'succeeded') this.failing.delete(subject);
    });
  }

  /** A machine that dies says no more, and no API shows its death before its group does: an account has its last word. */
  jobHeardOf(id: string, job: number | undefined): number | undefined {
    if (this.#world.machines.get(id)?.state !== 'up') return this.#lastJobs.get(id);
    this.#lastJobs.set(id, job);
    return job;
  }
}
