import { describeError, TerminalError, type WaitEnd, waitFor } from '@drover/core';
import {
  decideGrow,
  type GrowAction,
  type GrowFacts,
  type GrowNode,
  type GrowOutcome,
  growProgress,
} from '../../decide/growth/grow.ts';
import { isLeaving } from '../../model/lifecycle.ts';
import type { DataVolumes, GroupInstances, GrowthNotes, ShutdownRecords } from '../../ports.ts';
import { type Polling, polling } from '../poll-pause.ts';
import type { NodeUpgrades } from '../upgrade/upgrade-cluster.ts';

/** Grows the file systems of nodes, by a command on their instance. */
export interface NodeGrowth extends Pick<NodeUpgrades, 'agents' | 'state'> {
  /** Returns the id of the command: of one that runs there already, or of a new one. It may be repeated. */
  send(instanceId: string): Promise<string>;
}

export interface GrowRun extends Polling {
  readonly records: Pick<ShutdownRecords, 'list'>;
  readonly instances: Pick<GroupInstances, 'ofGroups'>;
  readonly dataGroup: string;
  readonly volumes: DataVolumes;
  readonly commands: NodeGrowth;
  readonly growth: GrowthNotes;
  onWait(because: string): void;
  onAction(what: string): void;
}

/** The acts of one run. Another one repeats them: each may be done again. */
interface Done {
  readonly commands: Map<string, string>;
  readonly notNow: Map<string, string>;
}

/** How the volumes are, without any act. */
export async function forecastGrowth(run: GrowRun, wantedGiB: number): Promise<GrowFacts> {
  return await gather(run, wantedGiB, { commands: new Map(), notNow: new Map() });
}

/**
 * Gives every data node a volume of this size, while it runs. Nothing but the size that was asked for is stored: a run that dies is
 * followed by one that goes on.
 */
export async function growVolumes(run: GrowRun, wantedGiB: number, waitMs: number): Promise<WaitEnd<GrowOutcome>> {
  const own: Done = { commands: new Map(), notNow: new Map() };
  let blockedSince: number | undefined;
  return await waitFor<GrowFacts, GrowAction, GrowOutcome>({
    ...polling(run, 2),
    deadlineAt: run.clock.now() + waitMs,
    gather: async () => ({ ...(await gather(run, wantedGiB, own)), blockedSince }),
    onGatherError: (error) => tolerate(run, error),
    decide: (facts, now) => {
      const step = decideGrow(facts, now);
      const acts = step.kind === 'wait' && (step.actions ?? []).length > 0;
      blockedSince = acts ? undefined : (blockedSince ?? now);
      return step;
    },
    apply: async (action, facts) => {
      try {
        await apply(run, action, facts, own);
      } catch (error) {
        tolerate(run, error);
      }
    },
    onWait: (because) => run.onWait(because),
  });
}

function tolerate(run: Pick<GrowRun, 'onWait'>, error: unknown): void {
  if (error instanceof TerminalError) throw error;
  run.onWait(describeError(error));
}

async function apply(run: GrowRun, action: GrowAction, facts: GrowFacts, own: Done): Promise<void> {
  const { wantedGiB } = facts;
  if (action.kind === 'note') return await run.growth.write({ leastGiB: wantedGiB });
  const { grown, of } = growProgress(facts);
  const so = `${grown} of ${of} data nodes have ${wantedGiB} GiB`;
  if (action.kind === 'resize') {
    own.commands.set(action.instanceId, await run.commands.send(action.instanceId));
    return run.onAction(`${so}; the file system of ${action.instanceId} grows`);
  }
  const { volumeId, instanceId, sizeGiB } = action.volume;
  const { notNow } = await run.volumes.grow(volumeId, wantedGiB);
  if (notNow !== undefined) own.notNow.set(volumeId, notNow);
  else run.onAction(`${so}; ${volumeId} of ${instanceId} grows from ${sizeGiB} GiB`);
}

async function gather(run: GrowRun, wantedGiB: number, own: Done): Promise<GrowFacts> {
  const instances = (await run.instances.ofGroups([run.dataGroup])).filter((one) => !isLeaving(one));
  const ids = instances.map(({ instanceId }) => instanceId);
  const volumes = await run.volumes.of(ids);
  const agents = await run.commands.agents(ids);
  const nodes: GrowNode[] = [];
  for (const { instanceId, lifecycleState } of instances) {
    const volume = volumes.find((each) => each.instanceId === instanceId);
    const commandId = own.commands.get(instanceId);
    nodes.push({
      instanceId,
      lifecycleState,
      volume,
      agent: agents.get(instanceId),
      notNow: volume === undefined ? undefined : own.notNow.get(volume.volumeId),
      command: commandId === undefined ? undefined : await run.commands.state(instanceId, commandId),
    });
  }
  const { leastGiB } = (await run.growth.read()) ?? {};
  return { wantedGiB, leastGiB, nodes, records: await recordsOf(run), blockedSince: undefined };
}

async function recordsOf(run: GrowRun) {
  try {
    return await run.records.list();
  } catch (error) {
    run.onWait(
      `Elasticsearch cannot be asked whether a node restarts, and its volumes grow all the same: ${describeError(error)}`,
    );
    return undefined;
  }
}
