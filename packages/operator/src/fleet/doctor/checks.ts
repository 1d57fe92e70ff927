import { fallbackGroupName, isOlderVersion, type ScalingMode } from '@drover/core/names/runner-fleet';
import { type FleetRelease, type HostReport, recentBootFailures } from '@drover/runner-fleet';
import { unexplainedAlarms } from '../../doctor/alarm-checks.ts';
import {
  type Check,
  type CheckRow,
  checksOf,
  diagnose,
  type Finding,
  notice,
  type Outcome,
  ok,
  problem,
} from '../../doctor/findings.ts';
import { isInService, isWithoutCapacity, launchesFailing, missingIn, stays } from '../../doctor/group-checks.ts';
import type { FailedLaunch } from '../../doctor/group-facts.ts';
import { judgeAgents } from '../../doctor/silent-agents.ts';
import { listed, shortened } from '../../render/short.ts';
import { duration } from '../../render/table.ts';
import { fleetAlarms } from '../alarms.ts';
import type { DoctorFacts } from './facts.ts';
import { failing, stillFailingMs, throttled, timedOut, words } from './function-checks.ts';
import { notTaken, rerunRefused, scaleSetLeft, scaleSetMissing, signalOld } from './jobs-checks.ts';
import { credentialsRejected, platformUnreachable, rateLimitLow, tokenExpires } from './platform-checks.ts';
import { throughNat } from './runner-routes.ts';

/** A launch that waits longer than this is a problem, unless its boot reports that it goes on, as it does every four minutes. */
const [slowLaunchMs, freshBootMs] = [15 * 60_000, 10 * 60_000];

function notRegistering({ launching, now, functions, groupName, stack }: DoctorFacts): Outcome {
  const failed = functions.registration.failures.filter(({ text }) => text.includes('registration failed'));
  const boots = (report: HostReport | undefined) => report?.phase === 'booting' && now - report.at < freshBootMs;
  // A host whose boot failed is kept for inspection: configuration-failing says so.
  const stuck = launching.filter(
    ({ since, runner, report }) =>
      runner === undefined && report?.failure === undefined && !boots(report) && now - (since ?? now) > slowLaunchMs,
  );
  const last = failed.at(-1);
  if (stuck.length === 0 && last === undefined) return ok('no instance is waiting for its registration');
  if (stuck.length === 0 && now - last!.at > stillFailingMs)
    return notice(
      `the registration function logged ${words(last!)}, ${duration(now - last!.at)} ago; no instance is waiting for its registration`,
      'nothing: it was tried again',
    );
  const waits = stuck.map(({ id, since }) => `${id} is Pending for ${duration(now - (since ?? now))}`);
  const evidence = [...waits, ...(last === undefined ? [] : [`the registration function logged ${words(last)}`])];
  return problem(
    listed(evidence),
    `drover fleet logs registration --stack ${stack}, then fix what it names; launches of ${groupName} are retried`,
  );
}

/** The fleet replaces outdated runners within days; the mirror is looked at every hour. */
const [leastLeftMs, staleMirrorMs] = [7 * 24 * 3_600_000, 24 * 3_600_000];

function runnerVersion({ release, runnerVersions, now, stack }: DoctorFacts): Outcome {
  const logs = `drover fleet logs runner_version --stack ${stack}, then fix what it names`;
  if (release === undefined)
    return problem('no runner software is mirrored yet: instances wait for it when they boot', logs);
  const inUse = [...new Set([release.version, ...runnerVersions])];
  const ending = inUse.filter((version) => (release.ends[version] ?? Number.POSITIVE_INFINITY) - now < leastLeftMs);
  if (ending.length > 0) {
    const described = ending.map((version) => {
      const left = release.ends[version]! - now;
      return left > 0 ? `${version} gets no jobs in ${duration(left)}` : `${version} gets no jobs any more`;
    });
    return problem(listed(described), renewal(release, ending));
  }
  if (now - release.checkedAt > staleMirrorMs)
    return problem(`releases were last looked for ${duration(now - release.checkedAt)} ago`, logs);
  const older = runnerVersions.filter((version) => isOlderVersion(version, release.version)).length;
  const behind = older === 0 ? '' : `; ${older} older runners are replaced when they are idle`;
  return ok(`the runner software is ${release.version}${behind}`);
}

function noWayOut({ routes, functions }: DoctorFacts): Outcome {
  const closed = [...routes].filter(([, way]) => way === 'none' || way.startsWith('igw-'));
  if (routes.size === 0) return ok('the functions are outside a VPC');
  if (closed.length === 0) return ok('every function subnet has a default route through NAT or a gateway of its own');
  const ways = closed.map(
    ([subnet, way]) =>
      `${subnet} ${way === 'none' ? 'has no default route' : `leads to ${way}, which serves public addresses only`}`,
  );
  const last = functions.registration.failures.at(-1);
  return problem(
    listed([...ways, ...(last === undefined ? [] : [words(last)])]),
    'give lambda_subnet_ids subnets with a route 0.0.0.0/0 to a NAT gateway, and deploy',
  );
}

/** Without an order a host that is idle completes its termination after five minutes; a machine that starts or ends has no agent for a moment. */
const drainsAloneMs = 10 * 60_000;

function remoteAgentFailing({ terminating, silent, now }: DoctorFacts): Outcome {
  const unreachable = terminating.filter(
    ({ remoteAgent, since }) => remoteAgent !== 'Online' && now - (since ?? Number.NEGATIVE_INFINITY) >= drainsAloneMs,
  );
  if (unreachable.length === 0)
    return judgeAgents(
      silent,
      'a host that does not drain by itself cannot be ordered to, and is let go when its time is over',
    );
  const described = unreachable.map(
    ({ id, since, remoteAgent, report }) =>
      `${id} is Terminating:Wait for ${duration(now - (since ?? now))}, its remote agent: ${remoteAgent}, ` +
      `its host last reported ${report === undefined ? 'never' : `${duration(now - report.at)} ago`}`,
  );
  return problem(
    listed(described),
    `drover fleet complete-termination ${unreachable[0]!.id} if no job is running there; the host completes it when it is idle, the function when allowed_drain_time is over`,
  );
}

function jobStillRunning({ terminating, now, allowedDrainTimeMs }: DoctorFacts): Outcome {
  const busy = terminating.filter(({ report, runner }) => (report?.workers ?? 0) > 0 || runner?.busy === true);
  if (busy.length === 0) return ok('no terminating instance has a job');
  const described = busy.map(
    ({ id, since }) =>
      `${id} waits for its job, at most ${duration(Math.max(0, (since ?? now) + allowedDrainTimeMs - now))} more`,
  );
  return notice(listed(described), 'wait; or raise allowed_drain_time if jobs take longer');
}

function poolNotFilling({ pool, onDemandBase }: DoctorFacts): Outcome {
  if (onDemandBase !== undefined && pool === undefined)
    return notice(
      `on_demand_base_capacity is ${onDemandBase}, so there is spot capacity, which cannot be combined with a warm pool`,
      'set on_demand_base_capacity to null to have a warm pool',
    );
  if (pool === undefined || pool.minSize === 0 || pool.members.length > 0)
    return ok(pool === undefined ? 'no warm pool is configured' : `${pool.members.length} in the warm pool`);
  return problem(
    `the warm pool is empty, its minimum is ${pool.minSize}`,
    'look at the newest activities: aws autoscaling describe-scaling-activities',
  );
}

function poolRunning({ pool }: DoctorFacts): Outcome {
  const awake = (pool?.members ?? []).flatMap(({ id, state }) => (state === 'Warmed:Running' ? [id] : []));
  if (awake.length === 0)
    return ok(pool === undefined ? 'no warm pool is configured' : 'every ready member is hibernated');
  return problem(
    `${listed(awake, ', ')} should be stopped but are running: hibernation failed`,
    `check that the root volume has room for the memory (root_volume_size), that it is encrypted, and that the instance type can hibernate, and deploy; it costs as a running instance until it is used or replaced: aws autoscaling set-instance-health --health-status Unhealthy --no-should-respect-grace-period --instance-id ${awake[0]}`,
  );
}

/** Replaced by the sweep; with a second one within two hours launches are braked, as after failed boots. */
function hostBroken({ bootFailures, now, stack }: DoctorFacts): Outcome {
  const broken = bootFailures.filter((failure) => failure.broken);
  const last = broken.at(-1);
  if (last === undefined) return ok('no host broke within a day');
  const told = `${broken.length} hosts broke within a day, the last, ${last.instanceId}, ${duration(now - last.at)} ago: ${last.reason}`;
  const fix = `drover fleet jobs --stack ${stack} shows the jobs that it had before: correct the one that changes its runner; scaling_mode jobs gives each job a fresh host`;
  return recentBootFailures(broken, now).length === 0 ? notice(told, fix) : problem(told, fix);
}

function configurationFailing(facts: DoctorFacts): Outcome {
  const { group, launching, now, groupName } = facts;
  const bootFailures = facts.bootFailures.filter(({ broken }) => broken !== true);
  const abandoned = group.failedLaunches.filter(isAbandoned);
  const failed = bootFailures.at(-1);
  const noted = new Set(bootFailures.map(({ instanceId }) => instanceId));
  const kept = launching.filter(({ id, report }) => report?.failure !== undefined || noted.has(id));
  if (failed !== undefined || kept.length > 0) {
    const reason = failed?.reason ?? kept[0]!.report!.failure!;
    const ids = kept.map((instance) => instance.id);
    const count = new Set([...noted, ...ids]).size;
    const [id] = ids;
    if (id === undefined && recentBootFailures(bootFailures, now).length === 0)
      return notice(
        `${count} boots failed within a day, the last ${duration(now - failed!.at)} ago: ${shortened(reason)}`,
        'nothing now: no boot has failed since, and the brake on launches is off',
      );
    return problem(
      [
        `${count} boots failed within a day: ${shortened(reason)}`,
        ...(id === undefined ? [] : [`launches are braked, and ${listed(ids, ', ')} kept for inspection`]),
      ].join('; '),
      id === undefined
        ? `correct what the lines name${failed?.silentMs === undefined ? '' : ', or raise boot_timeout for a boot that stays silent longer,'} and deploy; the next launches show whether it helped`
        : `aws ssm start-session --target ${id}; correct the cause and deploy. To launch another now: aws autoscaling complete-lifecycle-action --auto-scaling-group-name ${kept[0]?.isFallback === true ? fallbackGroupName(groupName) : groupName} --lifecycle-hook-name bootstrap --instance-id ${id} --lifecycle-action-result ABANDON`,
    );
  }
  if (abandoned.length === 0) return ok('no launch was abandoned');
  const last = abandoned[0]!;
  return problem(
    `${abandoned.length} launches were abandoned by their hosts, the last ${duration(now - last.at)} ago: ${last.instanceId ?? 'an instance'}: ${last.reason}`,
    'read /var/log/puppet.log and /var/log/cloud-init-output.log (aws ec2 get-console-output), and check puppet_hiera_config_path and packages',
  );
}

function rolloutStopped({ template: { hosts, current, stoppedBy }, now }: DoctorFacts): Outcome {
  if (stoppedBy !== undefined)
    return problem(
      `${stoppedBy.instanceId}, launched from the new template, failed to boot ${duration(now - stoppedBy.at)} ago: the hosts of before (${hosts}) go on, and none of them is replaced`,
      'correct what row configuration-failing names and deploy: the roll-out starts over with the next template',
    );
  return current === hosts
    ? ok('all hosts are of the current template')
    : notice(
        `${current} of ${hosts} hosts are of the current template`,
        'nothing: a host is replaced when it has no job and its replacement can serve',
      );
}

const isAbandoned = ({ reason }: FailedLaunch) => /abandon/i.test(reason);
/** The other two have checks of their own. */
const isRefused = (launch: FailedLaunch) => !isAbandoned(launch) && !isWithoutCapacity(launch);

function instancesMissing({ group, groupName }: DoctorFacts): Outcome {
  const missing = missingIn(group);
  const staying = group.members.filter(stays);
  const serving = staying.filter(isInService).length;
  const booting = staying.length - serving;
  const has = `${group.desired} wanted, ${serving} in service${booting === 0 ? '' : `, ${booting} booting`}`;
  if (missing === 0) return ok(has);
  if (group.launchSuspended)
    return problem(
      `${has}, ${missing} missing: the process Launch of the group is suspended`,
      `aws autoscaling resume-processes --auto-scaling-group-name ${groupName} --scaling-processes Launch`,
    );
  if (group.failedLaunches.length === 0)
    return notice(`${has}, ${missing} missing: Auto Scaling has not launched yet`, 'look again in a minute');
  return problem(
    `${has}, ${missing} missing: launches fail`,
    'see launch-failing, zone-without-capacity and configuration-failing',
  );
}

/** The remedy for runner software that ends: of a version that was chosen, of the newest one, of older ones in use. */
function renewal({ key, version }: FleetRelease, ending: readonly string[]): string {
  if (key === undefined) return 'leave runner_version out for the newest, or set a newer one, and deploy';
  if (ending.includes(version))
    return `GitHub's newest release ends: see https://github.com/actions/runner/releases and https://www.githubstatus.com; a newer one is mirrored within an hour; until then set runner_version and runner_checksum to a release that still gets jobs, and deploy`;
  return `wait: runners with older software are replaced by ${version} when they are idle; one that has a job for days: drover fleet why RUNNER`;
}

/** The newest comes first. The group launches in its other zones meanwhile. */
function zoneWithoutCapacity({ group, now }: DoctorFacts): Outcome {
  const noCapacity = group.failedLaunches.filter(isWithoutCapacity);
  const serving = group.members.filter(isInService);
  const [last] = noCapacity;
  if (last === undefined) return ok('no launch failed for want of capacity within an hour');
  const zones = [...new Set(noCapacity.map(({ zone }) => zone))].sort();
  const empty = zones.filter((zone) => !serving.some((one) => one.zone === zone));
  const told = [
    `${noCapacity.length} launches failed in ${zones.join(', ')}, the last ${duration(now - last.at)} ago: ${last.reason}`,
    ...(empty.length === 0 ? [] : [`no instance is in service in ${empty.join(', ')}`]),
  ].join('; ');
  const fix =
    'wait; or give several instance_types or wider instance_requirements, or subnet_ids in more zones, and deploy';
  const missing = group.desired - serving.length;
  if (missing <= 0) return notice(`${told}; the other zones have all instances that are wanted`, fix);
  return problem(`${told}; ${missing} of the wanted instances are missing`, fix);
}

function imageBakesFail({ bakes, stack, type, now }: DoctorFacts): Outcome {
  if (bakes === undefined) return ok('the fleet bakes no images by itself');
  const { lastFailure, next } = bakes;
  const when = next === undefined ? 'one is under way' : next.at <= now ? 'soon' : `in ${duration(next.at - now)}`;
  if (lastFailure === undefined) return ok(`no bake has failed since the last image; the next one: ${when}`);
  const { at, reason, instance } = lastFailure;
  const of = type === undefined ? '' : ` --type ${type}`;
  const log = instance === undefined ? 'drover fleet logs image' : `drover fleet logs ${instance} --since 2d`;
  return problem(
    `the last bake failed ${duration(now - at)} ago: ${reason}; new instances take the same image as before; the next bake: ${when}`,
    `${log} --stack ${stack}, then correct what it names; drover image bake --stack ${stack}${of} tries again now`,
  );
}

function jobsReachRole({ jobPrivileges }: DoctorFacts): Outcome {
  if (jobPrivileges.length === 0) return ok('jobs have neither Docker nor sudo from this fleet');
  const [verb, which] = jobPrivileges.length === 1 ? ['is', 'it lets'] : ['are', 'they let'];
  return notice(
    `${jobPrivileges.join(' and ')} ${verb} on: ${which} every job become root on its instance, and so act with the instance's role`,
    'give the runner group to trusted repositories only, keep extra_policies small, or switch it off and deploy',
  );
}

/** The checks of `drover fleet doctor`, in the order of its findings. */
const rows: Readonly<Record<string, CheckRow<DoctorFacts>>> = {
  'runner-not-registering': [
    'registration',
    'Runner not registering: invalid token or app credentials, platform rate limiting, or network failure',
    notRegistering,
  ],
  'credentials-rejected': [
    'credentials',
    'Token lacks admin:org scope, or app lacks the self-hosted runners permission',
    credentialsRejected,
  ],
  'token-expires': ['expiry of the token', 'The token of the platform expires within two weeks', tokenExpires],
  'platform-unreachable': [
    'the platform',
    'The platform does not respond: nothing scales, and no runner registers',
    platformUnreachable,
  ],
  'rate-limit-low': ['requests to the platform', "The platform's rate limit is used up, or nearly", rateLimitLow],
  'no-outbound-internet': ['internet access of the functions', 'Function has no outbound internet access', noWayOut],
  's3-through-nat': ['way to S3', 'Runners reach S3 through NAT', ({ runnerRoutes }) => throughNat(runnerRoutes)],
  'remote-agent-failing': ['remote command agents', 'Remote command agent on the instance failing', remoteAgentFailing],
  'job-still-running': ['drains', 'Job still running at termination', jobStillRunning],
  'function-throttling': ['throttling of functions', 'Function throttling', throttled],
  'function-timeout': ['timeouts of functions', 'Function timeout (slow platform API)', timedOut],
  'warm-pool-not-filling': ['size of the warm pool', 'Warm pool not filling', poolNotFilling],
  'warm-pool-running': ['state of the warm pool', 'Warm-pool instance shows running instead of stopped', poolRunning],
  'configuration-failing': ['boots', 'Configuration data file not found or package missing', configurationFailing],
  'host-broken': ['hosts in service', 'A job broke its host, and no job could begin there any more', hostBroken],
  'rollout-stopped': ['roll-out of the launch template', 'No host of a new launch template boots', rolloutStopped],
  'instances-missing': ['number of instances', 'The group has fewer instances than it should have', instancesMissing],
  'launch-failing': [
    'launches',
    'EC2 refuses to launch instances',
    ({ group, now }) => launchesFailing([group], now, isRefused),
  ],
  'zone-without-capacity': ['zones', 'EC2 launches nothing in a zone', zoneWithoutCapacity],
  'runner-version': [
    'runner software',
    'Runner software so old that GitHub gives it no jobs, now or within a week',
    runnerVersion,
  ],
  'image-bakes-fail': ['bakes of images', 'No new image could be baked', imageBakesFail],
  'jobs-reach-role': ['what jobs may do', "Jobs can act with the instance's role", jobsReachRole],
  'scale-set-left': [
    'what jobs mode has left',
    'A scale set of an earlier jobs mode is left at the platform, and jobs may wait for it',
    scaleSetLeft,
  ],
  'demand-signal-old': [
    'demand signal',
    'Nothing is known of the jobs that wait, so nothing is launched for them',
    signalOld,
  ],
  'scale-set-missing': ['scale set', 'The scale set does not exist, or was deleted at the platform', scaleSetMissing],
  'jobs-not-taken': ['jobs that wait', 'Jobs wait although as many runners have been idle for long', notTaken],
  'rerun-refused': ['interrupted jobs', 'GitHub refuses to run interrupted jobs again', rerunRefused],
  'function-failing': ['functions', 'A function of the fleet fails, so what it does is not done', failing],
  'alarm-on': [
    'alarms',
    'An alarm is on, and no other check says why',
    ({ alarms, fleetName, jobs }, before) =>
      unexplainedAlarms(alarms, fleetAlarms(fleetName, jobs === undefined ? 'idle' : 'jobs'), before),
  ],
};

const checks = checksOf(rows);
const inJobsModeOnly: readonly string[] = ['demand-signal-old', 'scale-set-missing', 'jobs-not-taken', 'rerun-refused'];

/** Every check of `drover fleet doctor`, in the order of its findings. */
export const fleetChecks = (mode: ScalingMode): readonly Check<DoctorFacts>[] =>
  checks.filter(({ check }) => mode === 'jobs' || !inJobsModeOnly.includes(check));

/** The pure part of `drover fleet doctor`: findings from the gathered facts. */
export const fleetFindings = (facts: DoctorFacts): Finding[] =>
  diagnose(fleetChecks(facts.jobs === undefined ? 'idle' : 'jobs'), facts);

/** Facts of a further type. */
export interface TypeFacts {
  readonly type: string;
  readonly facts: DoctorFacts;
}

/** The same for a fleet with types: what is wrong with a further type has its name, and explains alarms of the fleet. */
export function findingsOfTypes(facts: DoctorFacts, types: readonly TypeFacts[]): Finding[] {
  if (types.length === 0) return fleetFindings(facts);
  const all = fleetChecks('jobs');
  const [onAlarms] = all.filter(({ check }) => check === 'alarm-on');
  const others = all.filter((check) => check !== onAlarms);
  const ofDefault = diagnose(others, facts);
  const same = (a: Finding) => ofDefault.some((b) => b.check === a.check && b.evidence === a.evidence);
  const ofTypes = types.flatMap(({ type, facts: ofType }) =>
    diagnose(others, ofType)
      .filter((finding) => finding.verdict !== 'ok' && !same(finding))
      .map((finding) => ({ ...finding, evidence: `type ${type}: ${finding.evidence}` })),
  );
  const { examine, ...alarms } = onAlarms!;
  return [...ofDefault, ...ofTypes, { ...alarms, ...examine(facts, [...ofDefault, ...ofTypes]) }];
}
