import type { ControlName, Controls } from '@drover/observation/api';
import { describeEvent, type FleetEvent } from '@drover/observation/story/events';
import type { Opening } from './incidents.ts';
import type { Situation } from './situation.ts';

type Openings = {
  readonly [Name in ControlName]?: (local: Situation, input: Controls[Name]) => Opening | undefined;
};

const minute = 60_000;
/** Of many instances only what matters is shown: failures, and instances that serve or have gone. */
const everything = (event: FleetEvent) =>
  event.kind === 'in-service' || event.kind === 'gone' || describeEvent(event).bad;
/** Of an instance of a group, also once it is gone. */
const isIn = (local: Situation, group: string, { instance }: FleetEvent) =>
  instance !== undefined && local.groupOf(instance) === group;

const isOfFleet = ({ fleet }: Situation, group: string | undefined) => fleet.groupNames.includes(group ?? '');
const isRunner = (local: Situation, { instance }: FleetEvent) =>
  instance !== undefined && isOfFleet(local, local.groupOf(instance));

/** Which incident a control opens. Turning a fault off opens none: it is part of the one that is open. */
export const openings: Openings = {
  'queue-jobs': (local, { count, minutes }) => {
    const { queue } = local.fleet.codeHost.registry;
    const before = queue.jobs.at(-1)?.id ?? 0;
    const isOne = (id: number) => id > before && id <= before + count;
    const ended = () => queue.jobs.filter(({ id, state }) => isOne(id) && (state === 'completed' || state === 'lost'));
    return {
      kind: 'act',
      title: `You queued ${count} jobs of ${minutes} minutes.`,
      groups: [],
      concerns: ({ job }) => job !== undefined && isOne(job),
      meanwhile: () => `${ended().length} of ${count} have ended.`,
      outcome: () => (ended().length < count ? undefined : `All ${count} jobs have ended.`),
    };
  },
  'set-desired': (local, { group, capacity }) => ({
    kind: 'act',
    title: `You set the desired capacity of ${group} to ${capacity}.`,
    groups: [group],
    concerns: (event) => everything(event) && isIn(local, group, event),
    outcome: () => (local.isAtRest(group) ? `${capacity} instances are in service.` : undefined),
  }),
  'terminate-instance': (local, { instance }) => leaving(local, instance, 'act', `You terminated ${instance}.`),
  'break-instance': (local, { instance }) => leaving(local, instance, 'fault', `The hardware of ${instance} failed.`),
  'hang-instance': (local, { instance }) => leaving(local, instance, 'fault', `${instance} hangs.`),
  'fill-disk': (local, { instance }) => {
    const opening = leaving(local, instance, 'fault', `The disk of ${instance} is full.`);
    return isOfFleet(local, local.groupOf(instance)) ? opening : { ...opening, ...fullNode(local, instance) };
  },
  'cut-off': (local, { instance, on }) => {
    if (!on) return undefined;
    const opening = leaving(local, instance, 'fault', `Node ${instance} is cut off from the network.`);
    const isOff = () => local.cutOff.has(instance) && local.world.observe.member(instance) !== undefined;
    return {
      ...opening,
      meanwhile: () => clusterTrouble(local) ?? (isOff() ? 'No other node reaches it.' : 'It is reached again.'),
      outcome: () => (!isOff() && local.isWell() ? 'It is reached again, and the cluster is complete.' : undefined),
    };
  },
  'kill-node': (local, { instance }) => leaving(local, instance, 'fault', `Node ${instance} lost its power.`),
  'reclaim-spot': (local, { instance }) => leaving(local, instance, 'fault', `EC2 takes ${instance} back (spot).`),
  'lose-zone': (local, { zone, lost }) => {
    if (!lost) return undefined;
    const here = new Set(
      local.world.observe
        .members()
        .filter((one) => one.zone === zone)
        .map((one) => one.instanceId),
    );
    return {
      kind: 'fault',
      takesMachines: true,
      title: `Zone ${zone} is lost with ${here.size} instances.`,
      groups: [...local.fleet.groupNames, ...local.clusterGroups],
      cluster: true,
      concerns: everything,
      meanwhile: () =>
        clusterTrouble(local) ??
        (local.lostZones.has(zone) ? `${zone} is still lost.` : (crowdedMasters(local, zone) ?? 'Recovering.')),
      outcome: () =>
        !local.lostZones.has(zone) &&
        !local.hasJobWithoutMachine() &&
        local.isWell() &&
        crowdedMasters(local, zone) === undefined
          ? `${zone} is back and everything is in service.`
          : undefined,
    };
  },
  'platform-down': (local, { on }) => (on ? whileOn(local, 'platform-down', 'GitHub is down.') : undefined),
  'platform-rate-limit': (local, { on }) =>
    on ? whileOn(local, 'platform-rate-limit', 'GitHub rejects requests by its rate limit.') : undefined,
  'slow-network': (local, { on }) => (on ? whileOn(local, 'slow-network', 'The network is slow.') : undefined),
  'throttle-functions': (local, { on }) =>
    on ? whileOn(local, 'throttle-functions', 'Lambda runs no function.') : undefined,
  'change-inputs': (local, input) => ({
    kind: 'act',
    title: `You changed inputs of the fleet: ${changedWords(input)}.`,
    groups: local.fleet.groupNames,
    concerns: (event) => everything(event) && isRunner(local, event),
    meanwhile: () =>
      local.stackUpdate?.state === 'under way'
        ? 'CloudFormation updates the stack.'
        : 'The stack is updated; the fleet follows.',
    failed: () => local.stackUpdate?.state === 'failed',
    outcome: () => {
      const { state, reason } = local.stackUpdate ?? {};
      if (state === 'failed') return `The update failed and was rolled back: ${reason}.`;
      return state === 'done' && local.fleet.groupNames.every((group) => local.isAtRest(group))
        ? 'The stack is updated, and the fleet is complete.'
        : undefined;
    },
  }),
  'start-refresh': (local, { group }) => {
    const begun = local.clock.now();
    const isCluster = !isOfFleet(local, group);
    return {
      kind: 'act',
      title: `You started an instance refresh of ${group}.`,
      groups: [group],
      cluster: isCluster,
      concerns: (event) => isIn(local, group, event),
      meanwhile: () => `${local.world.observe.newestRefresh(group)?.percentageComplete ?? 0} % replaced.`,
      failed: () => local.world.observe.newestRefresh(group)?.status !== 'Successful',
      outcome: () => {
        const refresh = local.world.observe.newestRefresh(group);
        // Its last instance may still drain.
        if (refresh?.endTime === undefined || refresh.endTime < begun || !local.isAtRest(group)) return undefined;
        return `The refresh of ${group} ended: ${refresh.status}, ${refresh.percentageComplete} % replaced.`;
      },
    };
  },
};

const inputWords: { readonly [Key in keyof Controls['change-inputs']]-?: string } = {
  idleTarget: 'idle target',
  maxSize: 'maximum size',
  drainSeconds: 'drain time in seconds',
  mode: 'scaling mode',
};

const changedWords = (input: Controls['change-inputs']): string =>
  Object.entries(input)
    .map(([key, value]) => `${inputWords[key as keyof typeof inputWords]} ${value}`)
    .join(', ');

/** An instance is to go, and another takes its place. */
function leaving(local: Situation, instance: string, kind: Opening['kind'], title: string): Opening {
  const group = local.groupOf(instance) ?? '';
  const cluster = !isOfFleet(local, group);
  const isGone = () => local.world.observe.member(instance) === undefined;
  const isOf = withSuccessor(local, instance, group);
  return {
    kind,
    title,
    cluster,
    takesMachines: kind === 'fault',
    groups: [group],
    concerns: (event) => isOf(event),
    meanwhile: () =>
      clusterTrouble(local) ?? (isGone() ? 'It is gone; its successor is on its way.' : 'It is still there.'),
    outcome: () =>
      isGone() && !local.hasJobWithoutMachine() && (cluster ? local.isWell() : local.isAtRest(group))
        ? 'It is gone, and the group is complete.'
        : undefined,
  };
}

/** A full disk of a node is not made free by itself: it is to be replaced. */
const fullNode = (local: Situation, instance: string): Pick<Opening, 'meanwhile'> => ({
  meanwhile: () =>
    clusterTrouble(local) ??
    (local.world.observe.member(instance) === undefined
      ? 'It is gone; its successor is on its way.'
      : 'Elasticsearch moves shards away and blocks writes to what is left there: terminate the node, and another one replaces it.'),
});

/** An instance, and the first of its group that is launched or leaves the warm pool after it. */
function withSuccessor(local: Situation, instance: string, group: string): (event: FleetEvent) => boolean {
  let successor: string | undefined;
  return (event) => {
    const comes = event.kind === 'launched' || event.kind === 'left-pool';
    if (comes && isIn(local, group, event)) successor ??= event.instance;
    return event.instance === instance || (successor !== undefined && event.instance === successor);
  };
}

/** A fault of the surroundings: over a while after it was turned off. */
function whileOn(local: Situation, fault: string, title: string): Opening {
  let offSince: number | undefined;
  return {
    kind: 'fault',
    title,
    groups: local.fleet.groupNames,
    concerns: (event) => event.kind === 'job-lost' || (everything(event) && isRunner(local, event)),
    meanwhile: () =>
      local.isFaulty(fault) ? 'It goes on until you turn it off.' : 'It is over; what waited is catching up.',
    outcome: () => {
      if (local.isFaulty(fault)) offSince = undefined;
      else offSince ??= local.clock.now();
      const over = offSince !== undefined && local.clock.now() - offSince >= 5 * minute;
      return over && !local.hasJobWithoutAnswer() && local.fleet.groupNames.every((group) => local.isAtRest(group))
        ? 'It is over, and the fleet is complete.'
        : undefined;
    },
  };
}

/** A zone is not made good while the loss of another one would be final. */
function crowdedMasters(local: Situation, zone: string): string | undefined {
  const crowd = local.mastersInOneZone();
  return crowd === undefined
    ? undefined
    : `${zone} is back, but ${crowd.masters} of ${crowd.of} masters are in ${crowd.zone}, whose loss would be final: one more is launched, then one of them goes.`;
}

/** Without a majority of its voting masters a cluster cannot help itself. */
export function clusterTrouble(local: Situation): string | undefined {
  if (local.colour() !== 'none') return undefined;
  if (!local.hasLostMajority()) return 'No master at the moment: an election is under way.';
  const { alive, all } = local.voters();
  return `Only ${alive} of ${all} voting masters ${alive === 1 ? 'is' : 'are'} left, so no master can be elected: the cluster cannot recover by itself. Restore it from a snapshot (cluster-cli snapshots recover-cluster), or branch from a moment before this with the time slider.`;
}
