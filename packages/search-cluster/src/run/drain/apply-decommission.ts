import { describeError, TerminalError } from '@drover/core';
import { drainReasonTag } from '@drover/core/names/search-cluster';
import type { DecommissionAction } from '../../decide/drain/decommission.ts';
import type { DecommissionCase, DrainHistory } from '../../decide/drain/decommission-facts.ts';
import { attempt } from '../attempt.ts';
import type { DecommissionAws, DecommissionRun } from './decommission-run.ts';

/** Carries out one action; returns the history with what it adds. */
export async function applyDecommission(
  run: DecommissionRun,
  context: DecommissionCase,
  action: DecommissionAction,
  history: DrainHistory,
): Promise<DrainHistory> {
  const { nodeId } = context;
  const { search } = run;
  switch (action.kind) {
    case 'exclude-vote':
      await change(run, `master ${nodeId} excluded from voting`, () => search.voting.exclude(nodeId));
      return history;
    case 'register-shutdown':
      await change(run, `shutdown of node ${nodeId} registered (${action.reason})`, () =>
        search.records.register(nodeId, action.reason),
      );
      return history;
    case 'warn':
      run.report.onWarning(action.what);
      return history;
    case 'withdraw-shutdown':
      await change(run, `shutdown of node ${nodeId} withdrawn: ${action.because}`, () => withdraw(run, context));
      return history;
    default:
      return run.aws === undefined ? history : await applyInAws(run, run.aws, context, action, history);
  }
}

type AwsAction = Exclude<
  DecommissionAction,
  { kind: 'exclude-vote' } | { kind: 'register-shutdown' } | { kind: 'warn' } | { kind: 'withdraw-shutdown' }
>;

async function applyInAws(
  run: DecommissionRun,
  aws: DecommissionAws,
  { terminating, groupName }: DecommissionCase,
  action: AwsAction,
  history: DrainHistory,
): Promise<DrainHistory> {
  switch (action.kind) {
    case 'heartbeat': {
      const { member, hook } = terminating!;
      const answer = await attempt(run.report, `heartbeat of hook ${hook.name} failed`, () =>
        aws.hook.heartbeat(member, hook.name),
      );
      if (answer === undefined) return history;
      if (answer === 'accepted') return { ...history, lastHeartbeatAt: run.clock.now() };
      run.report.onWarning(`${member.instanceId} does not wait on hook ${hook.name} any more`);
      return { ...history, hookGone: true };
    }
    case 'cancel-refresh':
      await attempt(run.report, `cancelling the instance refresh of ${groupName} failed`, async () => {
        const answer = await aws.refresh.cancel(groupName!);
        if (answer === 'cancelled')
          run.report.onAction(`instance refresh of ${groupName} cancelled (${action.because})`);
      });
      return history;
    case 'tag-instance':
      await attempt(run.report, 'tagging the instance failed', () =>
        aws.tags.set(terminating!.member.instanceId, { [drainReasonTag]: action.reason }),
      );
      return history;
    case 'complete-hook': {
      // The one act whose failure must fail the command: the next run finds the node drained and completes it.
      const { member, hook } = terminating!;
      const answer = await aws.hook.complete(member, hook.name, 'CONTINUE');
      if (answer === 'accepted')
        run.report.onAction(`hook ${hook.name} of ${member.instanceId} completed with CONTINUE`);
      return { ...history, hookGone: true };
    }
  }
}

/**
 * The vote of a node that stays after all is given back. Only the whole list can be cleared, so others that are still here
 * are put on it again; `reap` never would, because a node on the list is in the cluster for good.
 */
async function withdraw({ search }: DecommissionRun, { nodeId, withdrawOnGiveUp }: DecommissionCase): Promise<void> {
  await search.records.withdraw(nodeId);
  if (!withdrawOnGiveUp) return;
  const { exclusions } = await search.voting.read();
  if (!exclusions.some((exclusion) => exclusion.nodeId === nodeId)) return;
  const { nodes } = await search.topology.topology();
  await search.voting.clear();
  for (const other of exclusions)
    if (other.nodeId !== nodeId && nodes.some(({ id }) => id === other.nodeId))
      await search.voting.exclude(other.nodeId);
}

/** A change in Elasticsearch: what may pass is tried again in the next round, what will not pass ends the run. */
async function change(run: DecommissionRun, what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
    run.report.onAction(what);
  } catch (error) {
    if (error instanceof TerminalError) throw error;
    run.report.onWarning(`not done: ${what}: ${describeError(error)}`);
  }
}
