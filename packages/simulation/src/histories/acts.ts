import { groupNames } from '@drover/core/names/search-cluster';
import { operatorIo } from '@drover/local/truth/real-doctor';
import { fleetDestroy } from '@drover/operator/fleet/destroy';
import { fleetStackName } from '@drover/stage/fleet-template';
import { upgradePath } from '../scenarios/cluster-upgrade.ts';
import { UpgradeDriver } from '../scenarios/upgrade-driver.ts';
import { otherImage, redrawFleet } from './draw-inputs.ts';
import { type HistoryWorld, names } from './history-world.ts';
import { otherMode, withoutFurtherGroups } from './options/draw-options.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Something that an operator does. Returns its end; undefined: it cannot be begun now. */
export type Act = (history: HistoryWorld) => Promise<void> | undefined;

const data = groupNames.data(names.cluster);

/** Deploys the fleet with other inputs, one deployment at a time. */
const redeploy =
  (change: (history: HistoryWorld) => HistoryWorld['inputs']['fleet']): Act =>
  (history) =>
    history.isBusy('fleet') ? undefined : history.deployFleet(change(history));

async function untilServed({ work, clock }: HistoryWorld): Promise<void> {
  for (let waited = 0; work.waiting > 0 && waited < 24; waited++) await clock.sleep(5 * minute);
  if (work.waiting > 0) throw new Error('jobs still wait after two hours: the mode is not changed');
}

/** Jobs ask for the labels of one mode: before it is changed, those that wait are served. */
const changeMode: Act = (history) => {
  if (history.isBusy('fleet')) return undefined;
  return history.during('fleet', async () => {
    const { work, clock, inputs } = history;
    work.pause();
    try {
      await untilServed(history);
      const fewer = withoutFurtherGroups(inputs.fleet);
      if (fewer !== undefined) await history.deployFleet(fewer);
      while (history.furtherMembers > 0) await clock.sleep(5 * minute);
      // A job that was run again meanwhile.
      await untilServed(history);
      await history.deployFleet(otherMode(inputs.fleet));
    } finally {
      work.resume();
    }
  });
};

/** As `drover fleet destroy` does it, and the same fleet again. Jobs wait meanwhile. */
const replaceFleet: Act = (history) => {
  const { world, clock, fleet, work } = history;
  if (history.isBusy('fleet') || work.waiting > 0) return undefined;
  return history.during('fleet', async () => {
    work.pause();
    try {
      // With the fleet its memory goes, and what it knows of interrupted jobs.
      history.alwaysReruns = false;
      const io = operatorIo(fleet, () => {});
      const destroy = () => fleetDestroy(io, { stack: fleetStackName, yes: true });
      // A request to GitHub that fails ends the command. It is run again.
      const isThere = () => world.observe.group(names.fleet) !== undefined;
      while (isThere()) if ((await destroy().catch(() => 1)) !== 0) await clock.sleep(10 * minute);
      // As its last line says, a person deletes in the settings what is left at GitHub.
      const { scaleSets } = fleet.codeHost;
      for (const set of fleet.groupNames.flatMap((name) => scaleSets.named(name) ?? []))
        while (!scaleSets.delete(set)) await clock.sleep(minute);
      await clock.sleep(hour);
      await history.deployFleet(history.inputs.fleet);
    } finally {
      work.resume();
    }
  });
};

const setDesired: Act = (history) => {
  const group = history.world.observe.group(names.fleet);
  if (group === undefined || history.isBusy('fleet')) return undefined;
  return voidOf(
    history.call('autoscaling', 'SetDesiredCapacity', {
      AutoScalingGroupName: names.fleet,
      DesiredCapacity: history.random.int(group.minSize, Math.min(group.maxSize, group.minSize + 4)),
    }),
  );
};

const terminate = (history: HistoryWorld, InstanceId: string) =>
  voidOf(
    history.call('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
      InstanceId,
      ShouldDecrementDesiredCapacity: false,
    }),
  );

const terminateRunner: Act = (history) => {
  const runners = history.runners();
  return runners.length === 0 ? undefined : terminate(history, history.random.pick(runners));
};

const refreshFleet: Act = (history) => {
  const group = history.world.observe.group(names.fleet);
  if (group === undefined || group.desiredCapacity === 0 || history.isBusy('fleet')) return undefined;
  return history.during('fleet', () => refresh(history, names.fleet, 12 * hour));
};

/** Begins a refresh and waits until it is over. */
async function refresh(history: HistoryWorld, group: string, limitMs: number): Promise<void> {
  const { clock, world } = history;
  await history.call('autoscaling', 'StartInstanceRefresh', { AutoScalingGroupName: group });
  const deadline = clock.now() + limitMs;
  const isOver = () => world.observe.newestRefresh(group)?.endTime !== undefined;
  while (!isOver() && clock.now() < deadline) await clock.sleep(minute);
}

/** An operator begins a refresh and cancels it. */
const cancelledRefresh: Act = (history) => {
  const group = history.world.observe.group(names.fleet);
  if (group === undefined || group.desiredCapacity === 0 || history.isBusy('fleet')) return undefined;
  return history.during('fleet', async () => {
    await history.call('autoscaling', 'StartInstanceRefresh', { AutoScalingGroupName: names.fleet });
    await history.clock.sleep(history.random.int(1, 20) * minute);
    await history.call('autoscaling', 'CancelInstanceRefresh', { AutoScalingGroupName: names.fleet });
  });
};

/** An operator takes a data node out, and it is replaced. */
const drainNode: Act = (history) => {
  const nodes = history.nodesIn(data);
  if (nodes.length < 2 || history.isBusy('cluster')) return undefined;
  const node = history.random.pick(nodes);
  return (async () => {
    await terminate(history, node);
    for (let waited = 0; waited < 12 * 60 && history.cluster.stateOf(node) !== undefined; waited++)
      await history.clock.sleep(minute);
  })();
};

const refreshCluster: Act = (history) => {
  if (history.isBusy('cluster')) return undefined;
  return history.during('cluster', () => refresh(history, history.random.pick(history.clusterGroups), 24 * hour));
};

/** Another type of the data nodes, or another number of them, is deployed. */
const redeployCluster: Act = (history) => {
  if (history.isBusy('cluster')) return undefined;
  const { cluster } = history.inputs;
  const dataCount = history.random.int(2, 4);
  return history.deployCluster(
    history.random.chance(0.5)
      ? { ...cluster, dataCount: Math.max(dataCount, cluster.dataCount ?? 3) }
      : { ...cluster, dataVolumeSize: history.random.int(201, 260) },
  );
};

/** As `drover cluster upgrade` does it, then the deployment with the version that it asks for. What stops it is looked at, and it is run again. */
const upgrade: Act = (history) => {
  const { cluster } = history.inputs;
  const to = upgradePath.find((_, index) => upgradePath[index - 1] === cluster.elasticsearchVersion);
  if (to === undefined || history.isBusy('cluster')) return undefined;
  return history.during('cluster', async () => {
    const driver = new UpgradeDriver(history.cluster);
    for (let round = 0; ; round++) {
      const end = await driver.run(to, 4 * hour).catch((error: Error) => error.message);
      if (typeof end !== 'string' && end.kind === 'upgraded') break;
      if (round >= 40) throw new Error(`given up: ${JSON.stringify(end).slice(0, 300)}`);
      await history.clock.sleep(15 * minute);
    }
    await history.deployCluster({ ...cluster, elasticsearchVersion: to });
  });
};

/** A snapshot of an index with a few documents, which is deleted and restored. */
const snapshotAndRestore: Act = (history) => {
  const { cluster, clock } = history;
  if (history.isBusy('cluster') || history.disksAreFull || cluster.colour() !== 'green') return undefined;
  const index = `archive-${history.told.length}`;
  const documents = 20;
  return history.during('cluster', async () => {
    await cluster.ask('PUT', `/${index}`, { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    for (let id = 0; id < documents; id++) await cluster.ask('PUT', `/${index}/_doc/${id}`, { id });
    const run = async (words: string) => {
      const [master] = history.nodesIn(groupNames.master(names.cluster));
      if (master === undefined) throw new Error('no master is up');
      const ended = await cluster.begin(master, `cluster-cli snapshots ${words}`);
      if (ended.exitCode !== 0) throw new Error(`${words}: ${ended.stderr.slice(-200)}`);
      return ended.stdout.trim();
    };
    const name = await run('create backups --wait');
    await cluster.ask('DELETE', `/${index}`);
    await clock.sleep(minute);
    await run(`restore backups ${name} --index ${index} --wait --yes`);
    const { count } = await cluster.ask<{ count?: number }>('GET', `/${index}/_count`);
    history.expect(count === documents, `${count} of ${documents} documents of ${index} were restored`);
    await cluster.ask('DELETE', `/${index}`);
  });
};

const voidOf = async (work: Promise<unknown>): Promise<void> => void (await work);

/** Acts of operators in histories. */
export const acts: Readonly<Record<string, Act>> = {
  'deploy the fleet with changed inputs': redeploy(({ random, inputs }) => redrawFleet(random, inputs.fleet)),
  'deploy a release of ours': (history) => {
    if (history.isBusy('fleet') || history.isBusy('cluster')) return undefined;
    history.release();
    const { fleet, cluster } = history.inputs;
    return voidOf(Promise.all([history.deployFleet(fleet), history.deployCluster(cluster)]));
  },
  'deploy another image of the runners': redeploy(({ inputs }) => otherImage(inputs.fleet)),
  'change the scaling mode': changeMode,
  'destroy the fleet and deploy it again': replaceFleet,
  'set the desired capacity': setDesired,
  'terminate a runner': terminateRunner,
  'refresh the fleet': refreshFleet,
  'refresh the fleet and cancel it': cancelledRefresh,
  'drain a data node': drainNode,
  'refresh a group of the cluster': refreshCluster,
  'deploy the cluster with changed inputs': redeployCluster,
  'upgrade Elasticsearch': upgrade,
  'snapshot and restore': snapshotAndRestore,
};
