import { majorityZone, retryAt, type SpreadNote, type SpreadOutcome } from '@drover/search-cluster';
import { notice, type Outcome, ok, problem } from '../../../doctor/findings.ts';
import { isInService, stays } from '../../../doctor/group-checks.ts';
import type { GroupFacts } from '../../../doctor/group-facts.ts';
import { duration } from '../../../render/table.ts';
import type { ClusterFacts } from '../facts.ts';
import { crowdedVotes, type VoterFacts } from './voters.ts';

/** Whether the loss of one zone would take the majority of the masters, and what is done about it. */
export function mastersInOneZone(facts: Pick<ClusterFacts, 'groups' | 'masterGroup' | 'spread'> & VoterFacts): Outcome {
  const group = facts.groups.find(({ name }) => name === facts.masterGroup);
  if (group === undefined) return ok('there is no group of masters');
  const { zones, minSize } = group;
  const members = group.members.filter(stays).map(({ zone, state }) => ({ zone, lifecycleState: state }));
  const majority = majorityZone({ zones, minSize, members });
  if (majority === undefined)
    return crowdedVotes(facts, group) ?? ok('the masters elect one of them when any zone is lost');
  const { zone, masters, of, avoidable } = majority;
  const found = `${masters} of ${of} masters are in ${zone}: the cluster would not survive the loss of that zone`;
  if (avoidable) return problem(`${found}; ${underWay(facts, group)}`, remedy(facts, group));
  if (zones.length !== 2 || minSize < 3) return ok(found);
  return notice(
    `${found}; of two zones one always has the majority`,
    'give subnet_ids in a third zone, if the region has one',
  );
}

function underWay({ spread, now }: Pick<ClusterFacts, 'spread' | 'now'>, group: GroupFacts): string {
  if (spread.kind === 'failed') return `whether they are being spread could not be read: ${spread.message}`;
  const note = spread.value;
  if (note !== undefined && note.ended === undefined) return attempt(note, group, now);
  if (note?.ended === undefined || note.ended.outcome === 'spread') return waits;
  const { at, outcome } = note.ended;
  const next = retryAt(note);
  const then = next > now ? `the next one begins in ${duration(next - now)} at the earliest` : waits;
  return `the last attempt to spread them ended ${duration(now - at)} ago, because ${because[outcome]}; ${then}`;
}

const waits = 'the elected master spreads them once the cluster is green and nothing else is in progress';

function attempt({ startedAt, zones, instances }: SpreadNote, { members }: GroupFacts, now: number): string {
  const newcomer = members.find((one) => stays(one) && !instances.includes(one.id));
  const since = `for ${duration(now - startedAt)}`;
  if (newcomer === undefined) return `one more is being launched for ${zones.join(' or ')}, ${since}`;
  return isInService(newcomer)
    ? `${newcomer.id} serves in ${newcomer.zone}, and one of the crowded zone goes next`
    : `${newcomer.id} is launching in ${newcomer.zone}, ${since}`;
}

const because: Readonly<Record<SpreadOutcome, string>> = {
  spread: 'they were spread',
  'no-capacity': 'Auto Scaling launched in another zone, as it does for want of capacity',
  'not-launched': 'Auto Scaling launched none',
  'not-serving': 'the one that was launched did not serve within an hour',
  overtaken: 'an operator changed the sizes of the group',
  undone: 'the group did not want one more any longer',
};

function remedy({ spread }: Pick<ClusterFacts, 'spread'>, { name, desired, minSize, maxSize }: GroupFacts): string {
  const ours = spread.kind === 'read' && spread.value !== undefined && spread.value.ended === undefined;
  if (!ours && desired !== minSize)
    return `aws autoscaling set-desired-capacity --auto-scaling-group-name ${name} --desired-capacity ${minSize}`;
  if (!ours && maxSize <= desired) return 'deploy the cluster again: its group of masters has no room for one more';
  return 'wait half an hour; while the zone has no capacity it is tried about every 20 minutes, and zone-without-nodes says so';
}
