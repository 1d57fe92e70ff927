import { describeError, TerminalError, type WaitEnd, waitFor } from '@drover/core';
import { softwareTag } from '@drover/core/names/search-cluster';
import {
  decideRoll,
  nameOf,
  type RollAction,
  type RollFacts,
  type RollNode,
  type RollOutcome,
  rollProgress,
  type SentRoll,
} from '../../decide/software/roll.ts';
import { isLeaving } from '../../model/lifecycle.ts';
import { reportIn, type Software, type SoftwarePointer } from '../../model/software.ts';
import type { ClusterHealthReader, ElectedMaster, GroupInstances, ShutdownRecords } from '../../ports.ts';
import { type Polling, polling } from '../poll-pause.ts';
import type { NodeUpgrades, UpgradeReader } from '../upgrade/upgrade-cluster.ts';

/** Has nodes take software, by a command on their instance. */
export interface NodeRolls extends Pick<NodeUpgrades, 'agents' | 'state'> {
  /** Returns the id of the command: of one that runs there already, or of a new one. */
  send(instanceId: string, software: Software): Promise<string>;
}

export interface RollRun extends Polling {
  readonly search: {
    readonly health: ClusterHealthReader;
    readonly records: ShutdownRecords;
    readonly upgrade: Pick<UpgradeReader, 'nodes'>;
    readonly elected: ElectedMaster;
  };
  readonly instances: GroupInstances;
  readonly masterGroup: string;
  readonly groups: readonly string[];
  readonly commands: NodeRolls;
  /** The software that every node should have; fails when nothing says so. */
  readonly pointer: () => Promise<SoftwarePointer>;
  /** Notes with the pointer that every node has this software. May be repeated. */
  readonly prove: (software: Software) => Promise<void>;
  onWait(because: string): void;
  onAction(what: string): void;
}

/** How far a roll is, without any act. */
export async function forecastRoll(run: Omit<RollRun, 'onWait' | 'onAction'>): Promise<RollFacts> {
  return await gather(run, undefined);
}

/**
 * Has every node take the software of the pointer, one after the other. All that it knows is in the pointer, in the tags of the
 * instances and in the cluster: a run that dies is followed by one that goes on.
 */
export async function rollSoftware(run: RollRun, waitMs: number): Promise<WaitEnd<RollOutcome>> {
  let sent: { readonly instanceId: string; readonly commandId: string } | undefined;
  let blockedSince: number | undefined;
  return await waitFor<RollFacts, RollAction, RollOutcome>({
    ...polling(run, 4),
    deadlineAt: run.clock.now() + waitMs,
    gather: async () => ({ ...(await gather(run, sent)), blockedSince }),
    // The cluster may be without a master for a moment while one of them restarts.
    onGatherError: (error) => tolerate(run, error),
    decide: (facts, now) => {
      const step = decideRoll(facts, now);
      const acts = step.kind === 'wait' && (step.actions ?? []).length > 0;
      blockedSince = acts || facts.sent?.state === 'running' ? undefined : (blockedSince ?? now);
      return step;
    },
    apply: async (action, facts) => {
      try {
        if (action.kind === 'prove') return await run.prove(facts.pointer);
        const { node } = action;
        const commandId = await run.commands.send(node.instanceId, facts.pointer);
        sent = { instanceId: node.instanceId, commandId };
        const { taken, of } = rollProgress(facts);
        run.onAction(
          `${taken} of ${of} nodes have ${facts.pointer.version} (${facts.pointer.digest}); ${nameOf(node)} takes it`,
        );
      } catch (error) {
        tolerate(run, error);
      }
    },
    onWait: (because) => run.onWait(because),
  });
}

function tolerate(run: Pick<RollRun, 'onWait'>, error: unknown): void {
  if (error instanceof TerminalError) throw error;
  run.onWait(describeError(error));
}

async function gather(
  run: Omit<RollRun, 'onWait' | 'onAction'>,
  sent: { readonly instanceId: string; readonly commandId: string } | undefined,
): Promise<RollFacts> {
  const { search } = run;
  const instances = await run.instances.ofGroups(run.groups);
  const state =
    sent === undefined
      ? undefined
      : await stateOf(
          run,
          sent,
          instances.map(({ instanceId }) => instanceId),
        );
  const agents = await run.commands.agents(instances.map(({ instanceId }) => instanceId));
  const nodes = await search.upgrade.nodes();
  const elected = await search.elected.masterNodeId();
  const seen = instances
    .filter((instance) => !isLeaving(instance) || instance.lifecycleState !== 'Terminated')
    .map(({ instanceId, lifecycleState, groupName, privateIp, tags }): RollNode => {
      const node = nodes.find(({ ip }) => ip === privateIp);
      return {
        instanceId,
        lifecycleState,
        isMaster: groupName === run.masterGroup,
        node:
          node === undefined ? undefined : { id: node.id, name: node.name, version: node.version, roles: node.roles },
        elected: node?.id === elected,
        agent: agents.get(instanceId),
        report: reportIn(tags[softwareTag]),
      };
    });
  return {
    pointer: await run.pointer(),
    nodes: seen,
    records: await search.records.list(),
    health: await search.health.health(),
    sent: state,
    blockedSince: undefined,
  };
}

/** Of a machine that was lost Systems Manager says for hours that its command runs. */
async function stateOf(
  { commands }: Pick<RollRun, 'commands'>,
  { instanceId, commandId }: { readonly instanceId: string; readonly commandId: string },
  present: readonly string[],
): Promise<SentRoll | undefined> {
  if (!present.includes(instanceId)) return undefined;
  return { instanceId, ...(await commands.state(instanceId, commandId)) };
}
