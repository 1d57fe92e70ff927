import { describeError, TerminalError, type WaitEnd, waitFor } from '@drover/core';
import {
  type BootstrapFacts,
  decideBootstrap,
  type InitialMaster,
  type InitialMasters,
  type RecordMasters,
} from '../../decide/launch/bootstrap.ts';
import type { FormedCluster, MasterInstances, StateObjects } from '../../ports.ts';
import { type Polling, polling } from '../poll-pause.ts';

export interface PrepareMastersRun extends Polling {
  readonly state: StateObjects;
  readonly masters: MasterInstances;
  /** The cluster that this node's own Elasticsearch is in. */
  readonly local: FormedCluster;
  onWait(because: string): void;
  onWarning(what: string): void;
}

export interface PrepareMastersCase {
  readonly instanceId: string;
  readonly masterCount: number;
}

/** Masters of a group start together; longer than this and one of them does not come. */
export const bootstrapWaitMs = 20 * 60_000;

/** Finds out with which other masters this one may form the cluster; undefined: with none, it joins. */
export async function prepareMasters(
  run: PrepareMastersRun,
  context: PrepareMastersCase,
): Promise<WaitEnd<InitialMasters>> {
  const uuid = await run.local.clusterUuid();
  if (uuid !== undefined) {
    await noteFormed(run, uuid);
    return { kind: 'done', outcome: undefined };
  }
  return await waitFor<BootstrapFacts, RecordMasters, InitialMasters>({
    ...polling(run),
    deadlineAt: run.clock.now() + bootstrapWaitMs,
    gather: () => gather(run, context),
    onGatherError: (error) => {
      if (error instanceof TerminalError) throw error;
      run.onWarning(describeError(error));
    },
    decide: decideBootstrap,
    // Of two who write, the later finds that it was the later, and both use what the first wrote.
    apply: async ({ masters }) => void (await run.state.create('initialMasters', JSON.stringify({ masters }))),
    onWait: run.onWait,
  });
}

async function gather(run: PrepareMastersRun, context: PrepareMastersCase): Promise<BootstrapFacts> {
  const formed = (await run.state.read('formed')) !== undefined;
  const written = formed ? undefined : await run.state.read('initialMasters');
  const recorded = written === undefined ? undefined : mastersIn(written);
  const visible = formed || recorded !== undefined ? [] : await run.masters.visible();
  return { ...context, formed, recorded, visible };
}

function mastersIn(text: string): readonly InitialMaster[] {
  try {
    const { masters } = JSON.parse(text) as { masters: readonly InitialMaster[] };
    if (masters.every(({ instanceId, hostName }) => `${instanceId}` !== '' && `${hostName}` !== '')) return masters;
  } catch (error) {
    throw new TerminalError('the list of initial masters in the state bucket cannot be read', {
      cause: error,
      remedy: 'if the cluster has never formed, delete the object initial-masters.json; else create formed.json',
    });
  }
  throw new TerminalError('the list of initial masters in the state bucket has no names');
}

/** Tells all masters to come that the cluster exists. */
async function noteFormed(run: PrepareMastersRun, clusterUuid: string): Promise<void> {
  if (await run.state.create('formed', JSON.stringify({ cluster_uuid: clusterUuid }))) return;
  const known = await run.state.read('formed');
  if (known !== undefined && !known.includes(clusterUuid))
    run.onWarning(
      `this node is in cluster ${clusterUuid}, but the state bucket says ${known}: two clusters may have formed`,
    );
}
