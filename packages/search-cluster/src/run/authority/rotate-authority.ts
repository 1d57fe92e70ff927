import { describeError, TerminalError, type WaitEnd, waitFor } from '@drover/core';
import {
  decideRotation,
  type RotationAction,
  type RotationFacts,
  type RotationNode,
  type RotationOutcome,
  rotationProgress,
} from '../../decide/authority/rotation.ts';
import type { AuthorityAct, AuthorityState, NodeCertificates } from '../../model/authority.ts';
import type { GroupInstances } from '../../ports.ts';
import { type Polling, polling } from '../poll-pause.ts';
import type { NodeUpgrades, UpgradeReader } from '../upgrade/upgrade-cluster.ts';

/** Has nodes take the certificates of the present phase, and show what their Elasticsearch has. */
export interface NodeAuthorities extends Pick<NodeUpgrades, 'agents'> {
  /** Returns the id of the command. It may be sent again at any time. */
  ask(instanceId: string): Promise<string>;
  state(
    instanceId: string,
    commandId: string,
  ): Promise<{ readonly state: 'running' } | { readonly state: 'ended'; readonly seen: RotationNode['seen'] }>;
}

/** The only one who sees the authority's keys. */
export interface AuthorityKeeper {
  look(): Promise<AuthorityState>;
  /** Carries an act out if the authority is still the one with this digest; returns what is there now. */
  act(act: AuthorityAct, digest: string): Promise<AuthorityState>;
}

export interface RotationRun extends Polling {
  readonly nodes: Pick<UpgradeReader, 'nodes'>;
  readonly instances: GroupInstances;
  readonly groups: readonly string[];
  readonly commands: NodeAuthorities;
  readonly authority: AuthorityKeeper;
  readonly again: boolean;
  onWait(because: string): void;
  onAction(what: string): void;
}

/** The nodes as this run has seen them in one phase. */
class PhaseNotes {
  readonly digest: string;
  readonly asked = new Map<string, string>();
  readonly seen = new Map<string, NodeCertificates | { readonly failed: string }>();
  most = -1;
  since: number;

  constructor(digest: string, now: number) {
    this.digest = digest;
    this.since = now;
  }
}

/**
 * Replaces the authority of the nodes' certificates, or goes on with it. How far it is, is in the secrets and in what the
 * nodes show: a run that dies is followed by one that goes on.
 */
export async function rotateAuthority(run: RotationRun, waitMs: number): Promise<WaitEnd<RotationOutcome>> {
  const { clock } = run;
  let notes = new PhaseNotes('', clock.now());
  let begun = false;
  return await waitFor<RotationFacts, RotationAction, RotationOutcome>({
    ...polling(run, 7),
    deadlineAt: clock.now() + waitMs,
    gather: async () => {
      const authority = await run.authority.look();
      if (authority.digest !== notes.digest) notes = new PhaseNotes(authority.digest, clock.now());
      begun ||= authority.phase !== 'settled';
      return await gather(run, { authority, begun }, notes);
    },
    // The cluster may be without a master for a moment.
    onGatherError: (error) => tolerate(run, error),
    decide: decideRotation,
    apply: async (action, facts) => {
      try {
        if (action.kind === 'ask')
          return void notes.asked.set(action.instanceId, await run.commands.ask(action.instanceId));
        const { ready, of } = rotationProgress(facts);
        run.onAction(`${action.act}${action.act === 'trust' ? '' : `: ${ready} of ${of} nodes are ready`}`);
        await run.authority.act(action.act, facts.authority.digest);
      } catch (error) {
        tolerate(run, error);
      }
    },
    onWait: (because) => run.onWait(because),
  });
}

/** How far a rotation is, without any act. */
export async function forecastRotation(run: Omit<RotationRun, 'onWait' | 'onAction'>): Promise<RotationFacts> {
  const authority = await run.authority.look();
  return await gather(run, { authority, begun: false }, new PhaseNotes(authority.digest, run.clock.now()));
}

function tolerate(run: Pick<RotationRun, 'onWait'>, error: unknown): void {
  if (error instanceof TerminalError) throw error;
  run.onWait(describeError(error));
}

async function gather(
  run: Omit<RotationRun, 'onWait' | 'onAction'>,
  { authority, begun }: Pick<RotationFacts, 'authority' | 'begun'>,
  notes: PhaseNotes,
): Promise<RotationFacts> {
  await readReports(run.commands, notes);
  // After the reports: who is launched from now on reads this phase from the secrets, or a later one.
  const instances = (await run.instances.ofGroups(run.groups)).filter(
    ({ lifecycleState }) => lifecycleState !== 'Terminated',
  );
  const agents = await run.commands.agents(instances.map(({ instanceId }) => instanceId));
  const members = await run.nodes.nodes();
  const nodes = instances.map(
    ({ instanceId, lifecycleState, privateIp }): RotationNode => ({
      instanceId,
      lifecycleState,
      agent: agents.get(instanceId),
      joined: members.some(({ ip }) => ip === privateIp),
      seen: notes.seen.get(instanceId),
      asked: notes.asked.has(instanceId),
    }),
  );
  const { ready } = rotationProgress({ authority, nodes });
  if (ready > notes.most) [notes.most, notes.since] = [ready, run.clock.now()];
  return {
    authority,
    nodes,
    strangers: members.filter(({ ip }) => !instances.some(({ privateIp }) => privateIp === ip)).map(({ name }) => name),
    begun,
    again: run.again,
    stuckSince: notes.since,
  };
}

async function readReports(commands: NodeAuthorities, { asked, seen }: PhaseNotes): Promise<void> {
  for (const [instanceId, commandId] of asked) {
    const state = await commands.state(instanceId, commandId);
    if (state.state === 'running') continue;
    asked.delete(instanceId);
    if (state.seen !== undefined) seen.set(instanceId, state.seen);
  }
}
