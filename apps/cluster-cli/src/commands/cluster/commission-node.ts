import { searchRoles } from '@drover/adapters/elasticsearch';
import { TerminalError } from '@drover/core';
import { softwareFile, softwareTag } from '@drover/core/names/search-cluster';
import {
  type CommissionCase,
  type CommissionOutcome,
  commissionCase,
  commissionNode,
  type GroupMember,
  hookEndsAt,
  notLaunching,
  pendingWait,
  reportText,
  type SoftwarePointer,
} from '@drover/search-cluster';
import type { Aws } from '../../aws.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { publishCertificate } from '../node/certificate.ts';
import { refused } from '../refused.ts';

/** A node that is being launched returns 401 to the right password, too, until it can read the security index. */
const securityStartsWithinMs = 10 * 60_000;

type Input = CommandInput<'cluster commission-node'>;

/** Waits until a new node is settled, and completes the launch hook. */
export async function commissionThisNode(context: Context, { options }: Input): Promise<number> {
  const hookName = options.completeLifecycleAction;
  const aws = hookName === undefined ? undefined : (await context.aws()).roles;
  const member = aws === undefined ? undefined : await ownMember(context, aws);
  if (member?.lifecycleState.startsWith('Terminating') === true)
    return refused(context, notLaunching(member.lifecycleState));
  const waiting = member?.lifecycleState === pendingWait ? member : undefined;
  if (member !== undefined && waiting === undefined)
    context.log.warn(`the instance is ${member.lifecycleState}: there is no launch hook to complete`);
  const waitMs = options.waitUntilComplete * 1000;
  const { resourceName } = await context.facts();
  // Otherwise no alarm knew of the certificate before the second configuration run, half an hour after the first.
  if (waiting !== undefined) await publishCertificate(context);
  const launch = await commissionCase(
    { waitMs, hookName, member: waiting, resourceName },
    aws?.hook,
    context.io.clock.now(),
  );
  const search = searchRoles(context.search(waiting === undefined ? {} : { securityStartsWithinMs }));
  const tagged = aws === undefined ? undefined : { ...aws, tags: await tagsWithSoftware(context, aws.tags) };
  const run = { ...context.run, search, aws: tagged, report: reporter(context, launch) };
  const outcome = await commissionNode(run, launch);
  return finish(context, outcome);
}

/** A node that is launched has taken its software at its boot, and says so with the first tag that it sets. */
async function tagsWithSoftware({ io: { files } }: Context, tags: Aws['roles']['tags']): Promise<Aws['roles']['tags']> {
  const text = await files.read(softwareFile);
  if (text === undefined) return tags;
  const { digest } = JSON.parse(text) as SoftwarePointer;
  const taken = { [softwareTag]: reportText({ digest, state: 'taken' }) };
  return { ...tags, set: (instanceId, others) => tags.set(instanceId, { ...others, ...taken }) };
}

async function ownMember(context: Context, aws: Aws['roles']): Promise<GroupMember> {
  const instanceId = await context.metadata.instanceId();
  const member = await aws.membership.memberOf(instanceId);
  if (member !== undefined) return member;
  throw new TerminalError(`instance ${instanceId} is in no autoscaling group`, {
    remedy: 'leave --complete-lifecycle-action out',
  });
}

function reporter(context: Context, { launch, deadlineAt }: CommissionCase) {
  const endsAt = launch === undefined ? deadlineAt : Math.min(deadlineAt, hookEndsAt(launch.hook));
  return {
    ...context.run,
    onWait: (because: string, facts: Parameters<Parameters<typeof commissionNode>[0]['report']['onWait']>[1]) => {
      const recovery = facts.stage === 'read' ? facts.recovery : undefined;
      const bytesLeft = recovery === undefined ? undefined : recovery.bytesTotal - recovery.bytesRecovered;
      context.progress.show({ because, shardsLeft: recovery?.active, bytesLeft, endsAt });
    },
  };
}

function finish(context: Context, outcome: CommissionOutcome): number {
  switch (outcome.kind) {
    case 'commissioned':
      context.log.info('the node is settled');
      return exitCodes.done;
    case 'refused':
      return refused(context, outcome.refusal);
    case 'timed-out':
      context.log.error(`timed out: ${outcome.because}. ${ends[outcome.end]}`);
      return exitCodes.timedOut;
  }
}

const ends = {
  abandoned: 'The launch was abandoned: the instance is replaced.',
  kept: 'The node holds shards that could not be moved, so it was kept in service.',
  'left-open': 'Nothing was changed.',
} as const;
