import { alarmName, functionName, functionsOf, type ScalingMode } from '@drover/core/names/runner-fleet';
import type { AlarmMeaning } from '../doctor/alarm-checks.ts';

type Kind = keyof typeof alarmName;
const ofFunctions: readonly Kind[] = ['errors', 'duration', 'throttles'];

const seeLog = 'drover fleet logs with the name of the function, then correct what it names';
const seeActivities = 'see the newest activities: aws autoscaling describe-scaling-activities';

/** Every alarm of a fleet that needs an operator; those that change the size of the group are no sign of trouble. */
export const alarmMeanings: Readonly<Partial<Record<Kind, AlarmMeaning>>> = {
  errors: { checks: ['function-failing'], fix: seeLog },
  duration: {
    checks: ['function-timeout', 'function-failing', 'platform-unreachable'],
    fix: `AWS or the platform is slow: wait; if it stays on: ${seeLog}`,
  },
  throttles: { checks: ['function-throttling'], fix: 'ask for a higher concurrency quota of the account' },
  atMaximum: { checks: [], fix: 'raise asg_max_size and deploy if jobs wait', harmless: true },
  launchStuck: { checks: ['runner-not-registering', 'configuration-failing'], fix: seeActivities },
  noneInService: {
    checks: ['instances-missing', 'launch-failing', 'zone-without-capacity', 'configuration-failing'],
    fix: seeActivities,
  },
  warmPoolEmpty: { checks: ['warm-pool-not-filling', 'warm-pool-running'], fix: seeActivities },
  bootsFailing: { checks: ['configuration-failing', 'host-broken'], fix: 'the next launches show whether it is over' },
  rolloutStopped: {
    checks: ['rollout-stopped', 'configuration-failing'],
    fix: 'correct what the failed boot names, and deploy: a new template is tried again',
  },
  runnersMissing: {
    checks: ['runner-not-registering', 'platform-unreachable', 'credentials-rejected'],
    fix: 'drover fleet runners shows which instances have none: the sweep replaces them; drover fleet why INSTANCE says what happened',
  },
  runnersOffline: {
    checks: ['platform-unreachable', 'credentials-rejected'],
    fix: 'drover fleet runners shows which: their agents start them again; drover fleet logs INSTANCE --source runner says why they ended',
  },
  hookTooOld: {
    checks: ['remote-agent-failing', 'job-still-running', 'runner-not-registering', 'configuration-failing'],
    fix: 'drover fleet runners shows the instance that waits; drover fleet why INSTANCE says for what',
  },
  metricSilent: { checks: ['function-failing', 'function-throttling'], fix: 'drover fleet logs record_metric' },
  rateLimitLow: {
    checks: ['rate-limit-low'],
    fix: 'drover fleet rate-limit shows what is left and when it is renewed; give each fleet a token or app of its own',
  },
  registrationFails: {
    checks: ['credentials-rejected', 'runner-not-registering'],
    fix: 'drover fleet logs registration names what the platform refused',
  },
  runnerOutdated: { checks: ['runner-version'], fix: 'leave runner_version out for the newest, and deploy' },
  jobsNotTaken: { checks: ['jobs-not-taken'], fix: 'it goes off by itself when the jobs are taken' },
  imageBakesFail: {
    checks: ['image-bakes-fail', 'function-failing'],
    fix: 'drover fleet logs image names what failed; drover image bake tries again now',
  },
  demandSignalOld: {
    checks: ['demand-signal-old', 'function-failing', 'function-throttling'],
    fix: 'drover fleet logs demand, then drover fleet logs record_metric',
  },
};

/** The names of a fleet's alarms with their meanings. */
export const fleetAlarms = (groupName: string, mode: ScalingMode): ReadonlyMap<string, AlarmMeaning> =>
  new Map(
    Object.entries(alarmMeanings).flatMap(([kind, meaning]) => {
      const subjects = ofFunctions.includes(kind as Kind)
        ? functionsOf(mode).map((suffix) => functionName(groupName, suffix))
        : [groupName];
      return subjects.map((subject) => [alarmName[kind as Kind](subject), meaning] as const);
    }),
  );
