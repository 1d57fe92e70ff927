import { alarmName } from '@drover/core/names/search-cluster';
import { notice, type Outcome, ok, problem, unknown } from '../../../doctor/findings.ts';
import { duration } from '../../../render/table.ts';
import type { ClusterFacts } from '../facts.ts';

const dayMs = 24 * 3_600_000;
/** A cluster that is yellow or drains for a while is normal, and has checks of its own. */
const longWaitMs = dayMs;

/** Weeks are not read in hours. */
const inDays = (ms: number): string => (ms < 2 * dayMs ? duration(ms) : `${Math.floor(ms / dayMs)} days`);

const fix = 'cluster-cli snapshots drill on a master says why; see docs/how-to/backups.md, "Restore drill"';

/** Whether snapshots are tried: the last drill, and why the next one waits. What is too old the alarm knows by the interval of drills. */
export function restoreDrills({ drill, alarms, clusterName, now }: ClusterFacts): Outcome {
  const { ageSeconds, failed = 0, note } = drill;
  const tooOld = alarms.find(({ name }) => name === alarmName.restoreDrillTooOld(clusterName));
  if (tooOld === undefined) return ok('there are none: restore_drill_days is 0, or there are no snapshot policies');
  if (ageSeconds === undefined) return unknown('no master has reported a drill in the last hour');
  const { postponed, failure } = (note.kind === 'read' ? note.value : undefined) ?? {};
  const last = `the last good one, or the begin of drills, was ${inDays(ageSeconds * 1000)} ago`;
  const waits =
    postponed === undefined ? '' : `; the next has waited for ${inDays(now - postponed.since)}: ${postponed.because}`;
  const unread = note.kind === 'failed' ? `; why the next one waits could not be read: ${note.message}` : '';
  if (failed > 0) return problem(`the last one failed${failure === undefined ? '' : ` (${failure})`}; ${last}`, fix);
  if (tooOld.on) return problem(`${last}${waits}${unread}`, fix);
  if (postponed !== undefined && now - postponed.since > longWaitMs) return notice(`${last}${waits}`, fix);
  return ok(`${last}${waits}`);
}
