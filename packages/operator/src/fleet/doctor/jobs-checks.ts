import { conflictsAreWrongAfter } from '@drover/runner-fleet';
import { notice, type Outcome, ok, problem } from '../../doctor/findings.ts';
import { duration } from '../../render/table.ts';
import type { DoctorFacts } from './facts.ts';
import { words } from './function-checks.ts';

/** As the alarm `demand_signal_old-<asg>`: a window opens each minute, and each confirms the numbers. */
const oldSignalMs = 240_000;
/** An idle runner takes a job within seconds. */
const takenWithinMs = 5 * 60_000;

/** The last window of the demand ends within a minute, and passes come each minute. */
const leftTooLongMs = 15 * 60_000;

/** In idle mode: a scale set that an earlier jobs mode has left, without an owner until it is deleted. */
export function scaleSetLeft({ leftJobs, now, stack }: DoctorFacts): Outcome {
  const { scaleSet, lease, hosts = {} } = leftJobs ?? {};
  if (scaleSet === undefined) return ok('no scale set of an earlier jobs mode is left');
  const serving = Object.values(hosts).filter(({ unknownSince }) => unknownSince === undefined).length;
  const since = now - (lease?.until ?? now);
  const evidence = `the scale set ${scaleSet.name} (id ${scaleSet.id}) of an earlier jobs mode has been left at the platform for ${duration(since)}, with ${serving} runners`;
  if (serving > 0 || since < leftTooLongMs)
    return notice(evidence, 'wait: it is deleted when the last job of its runners is over');
  return problem(
    evidence,
    `drover fleet logs record_metric --stack ${stack}, then fix what it names; or delete the scale set in the settings of the organisation, repository or enterprise under Actions, Runners`,
  );
}

const logOf = (stack: string) => `drover fleet logs demand --stack ${stack}, then fix what it names`;

export function signalOld(facts: DoctorFacts): Outcome {
  const { jobs, functions, now, stack } = facts;
  const { statisticsAt, conflicts = 0 } = jobs ?? {};
  const age = statisticsAt === undefined ? 'no window has read the jobs yet' : `${duration(now - statisticsAt)} old`;
  if (conflicts >= conflictsAreWrongAfter) return sessionHeld(facts, `in ${conflicts} windows; the signal: ${age}`);
  if (statisticsAt !== undefined && now - statisticsAt <= oldSignalMs) return ok(`the signal is ${age}`);
  const last = functions.demand?.failures.at(-1);
  const logged =
    last === undefined ? 'the demand function logged no failure' : `the demand function logged ${words(last)}`;
  return problem(`the signal: ${age}; ${logged}`, logOf(stack));
}

/** A session of a window that died ends earlier, as a rule. */
function sessionHeld({ jobs, groupName, stack, type, sessionOwner }: DoctorFacts, since: string): Outcome {
  const heldBy = jobs?.heldBy;
  if (heldBy === undefined)
    return problem(
      `another session has held the scale set ${groupName} ${since}; the platform does not say whose`,
      'look for another listener of this scale set (a second fleet of this name, or another tool); else delete the scale set at the platform: the next window makes it again',
    );
  if (heldBy !== sessionOwner)
    return problem(
      `a session of ${heldBy} has held the scale set ${groupName} ${since}`,
      `end the listener ${heldBy}, or give this fleet another group_name: a scale set has one listener; if it is gone and its session stays, delete the scale set at the platform`,
    );
  return problem(
    `a session of this fleet (${heldBy}), whose id is lost, has held the scale set ${groupName} ${since}`,
    `drover fleet reset-scale-set --stack ${stack}${type === undefined ? '' : ` --type ${type}`}: it deletes the scale set while no job runs, and the next window makes it again`,
  );
}

export function scaleSetMissing({ jobs, functions, stack, now }: DoctorFacts): Outcome {
  const scaleSet = jobs?.scaleSet;
  if (scaleSet === undefined) return problem('no window has found or made the scale set yet', logOf(stack));
  const gone = functions.demand?.failures.filter(({ text }) => text.includes('scale set was gone')).at(-1);
  const known = `the scale set ${scaleSet.name} has the id ${scaleSet.id}`;
  if (gone === undefined) return ok(known);
  return notice(
    `it was deleted at the platform and made again ${duration(now - gone.at)} ago; ${known}`,
    'find out who deletes it: two fleets of one name, or a clean-up of scale sets; idle runners of the old one are replaced',
  );
}

/** A look that succeeds forgets the refusal. */
export function rerunRefused({ jobs, now }: DoctorFacts): Outcome {
  const refused = Object.values(jobs?.interrupted ?? {}).filter(
    (one) => one.refused !== undefined && one.settled === undefined,
  );
  const last = refused.at(-1);
  if (last === undefined) return ok('GitHub refused no re-run of an interrupted job');
  const { name, repository, runId, askedAt = now, refused: message } = last;
  return problem(
    `${refused.length} interrupted jobs are not run again, the last one ${name} of ${repository} (run ${runId}), asked for ${duration(now - askedAt)} ago: ${message}`,
    `give the token or the app access to ${repository} with the permission Actions: write (a classic token: the scope repo), or set rerun_interrupted_jobs: false and deploy; it is tried again for a day`,
  );
}

export function notTaken({ jobs, groupName, now }: DoctorFacts): Outcome {
  const fresh = Object.values(jobs?.jobs ?? {}).filter(
    ({ assignedAt = 0, startedAt }) => startedAt === undefined && now - assignedAt < takenWithinMs,
  );
  const count = (jobs?.notTaken ?? 0) - fresh.length;
  if (count <= 0) return ok('no job waits for long beside runners that have long been idle');
  return problem(
    `${count} jobs wait although as many runners have been idle for 15 minutes; nothing is launched for them`,
    `see at the platform whether jobs wait for ${groupName}: if so, check that the runner group admits their repositories, and cancel and re-run them; if none does, its number is stale and passes`,
  );
}
