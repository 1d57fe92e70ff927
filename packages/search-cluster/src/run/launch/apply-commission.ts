import { clusterUuidTag } from '@drover/core/names/search-cluster';
import type { CommissionAction } from '../../decide/launch/commission.ts';
import type { CommissionCase, CommissionFacts, CommissionHistory } from '../../decide/launch/commission-facts.ts';
import { attempt } from '../attempt.ts';
import type { CommissionRun } from './commission-run.ts';
import type { CommissionAws } from './gather-commission.ts';

/** Carries out one action; returns the history with what it adds. */
export async function applyCommission(
  run: CommissionRun,
  context: CommissionCase,
  action: CommissionAction,
  facts: CommissionFacts,
  history: CommissionHistory,
): Promise<CommissionHistory> {
  switch (action.kind) {
    case 'retry-failed-shards':
      return { ...history, retriedFailedShards: await retryFailedShards(run) };
    case 'register-shutdown':
      await attempt(run.report, 'registering the shutdown failed', () =>
        run.search.records.register(nodeIdOf(facts), action.reason),
      );
      return history;
    case 'withdraw-shutdown':
      await attempt(run.report, 'withdrawing the shutdown failed', () => run.search.records.withdraw(nodeIdOf(facts)));
      return history;
    default:
      return run.aws === undefined || context.launch === undefined
        ? history
        : await applyInAws(run, run.aws, context.launch, action, history);
  }
}

type AwsAction = Exclude<
  CommissionAction,
  { kind: 'retry-failed-shards' } | { kind: 'register-shutdown' } | { kind: 'withdraw-shutdown' }
>;

async function applyInAws(
  run: CommissionRun,
  aws: CommissionAws,
  { member, hook }: NonNullable<CommissionCase['launch']>,
  action: AwsAction,
  history: CommissionHistory,
): Promise<CommissionHistory> {
  switch (action.kind) {
    case 'heartbeat': {
      const answer = await attempt(run.report, `heartbeat of hook ${hook.name} failed`, () =>
        aws.hook.heartbeat(member, hook.name),
      );
      if (answer === 'not-waiting') run.report.onWarning(`${member.instanceId} does not wait on hook ${hook.name}`);
      const lastHeartbeatAt = answer === 'accepted' ? run.clock.now() : history.lastHeartbeatAt;
      return { ...history, lastHeartbeatAt, hookGone: answer === 'not-waiting' };
    }
    case 'tag-cluster':
      await attempt(run.report, 'tagging the instance failed', () =>
        aws.tags.set(member.instanceId, { [clusterUuidTag]: action.clusterUuid }),
      );
      return history;
    case 'cancel-refresh':
      await attempt(run.report, `cancelling the instance refresh of ${member.groupName} failed`, () =>
        aws.refresh.cancel(member.groupName),
      );
      return history;
    case 'complete-hook':
      await aws.hook.complete(member, hook.name, action.result);
      run.report.onAction(`hook ${hook.name} of ${member.instanceId} completed with ${action.result}`);
      return { ...history, hookGone: true };
  }
}

const retryFailedShards = async (run: CommissionRun) =>
  (await attempt(run.report, 'retrying failed shards failed', async () => {
    await run.search.retry.retryFailedShards();
    return true;
  })) ?? false;

const nodeIdOf = (facts: CommissionFacts) => (facts.stage === 'read' ? facts.nodeId : '');
