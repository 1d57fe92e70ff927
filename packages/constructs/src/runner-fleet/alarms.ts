import { alarmName, functionName, functionsOf, metrics } from '@drover/core/names/runner-fleet';
import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmRule } from '../alarms.ts';
import { timeoutSeconds } from './functions.ts';
import { fleetMetric, functionMetric, groupMetric } from './metrics.ts';
import { hasFurtherGroups } from './permissions.ts';
import type { RunnerFleetSettings } from './settings.ts';
import type { FleetSettings } from './types/type-settings.ts';

const minute = Duration.minutes(1);
const lowBudget = 500;
/** The fleet replaces outdated runners within days; what is left then is for people. */
const leastDaysLeft = 7;

/** Every alarm of a fleet; each means that an operator has to act. */
export const fleetAlarmRules = (settings: FleetSettings): readonly AlarmRule[] => [
  ...functionRules(settings),
  ...(hasFurtherGroups(settings) ? typeRules(settings) : groupRules(settings)),
  ...warmPoolRules(settings),
  ...fleetRules(settings),
  ...bakeRules(settings),
  ...(settings.scalingMode === 'jobs' ? jobsRules(settings) : idleRules(settings)),
];

const { GREATER_THAN_OR_EQUAL_TO_THRESHOLD, LESS_THAN_THRESHOLD } = ComparisonOperator;
const { BREACHING } = TreatMissingData;

function functionRules(settings: RunnerFleetSettings): AlarmRule[] {
  return functionsOf(settings.scalingMode).flatMap((suffix) => {
    const name = functionName(settings.groupName, suffix);
    const metric = (metricName: string, statistic: string) =>
      functionMetric(settings.groupName, suffix, metricName, { statistic });
    return [
      {
        name: alarmName.throttles(name),
        description: `${name} is throttled: raise the account's concurrency`,
        metric: metric('Throttles', Stats.SUM),
      },
      {
        name: alarmName.errors(name),
        description: `${name} fails: read its log group, then run drover fleet doctor`,
        metric: metric('Errors', Stats.SUM),
        periods: 3,
      },
      {
        name: alarmName.duration(name),
        description: `${name} comes near its timeout of ${timeoutSeconds(suffix)} s: the platform or AWS is slow`,
        metric: metric('Duration', Stats.MAXIMUM),
        // A window lasts nearly as long as it may.
        threshold: timeoutSeconds(suffix) * (suffix === 'demand' ? 950 : 750),
        periods: 3,
      },
    ];
  });
}

function groupRules(settings: RunnerFleetSettings): AlarmRule[] {
  const { groupName } = settings;
  const metric = (metricName: string) => groupMetric(groupName, metricName);
  const rules: AlarmRule[] = [
    {
      name: alarmName.atMaximum(groupName),
      description: 'the group is at its maximum: jobs may wait; raise asg_max_size',
      ...full(settings),
      periods: 15,
    },
    {
      name: alarmName.launchStuck(groupName),
      description: 'an instance is Pending for half an hour, or for boot_timeout: see drover fleet doctor',
      metric: metric('GroupPendingInstances'),
      periods: Math.max(30, Math.ceil(settings.bootTimeout / 60)),
    },
  ];
  if (settings.asgMinSize > 0)
    rules.push({
      name: alarmName.noneInService(groupName),
      description: 'no instance is in service: see the scaling activities',
      metric: metric('GroupInServiceInstances'),
      operator: LESS_THAN_THRESHOLD,
      threshold: 1,
      periods: 15,
      // No alarm without data: a group publishes it from its creation on; for a missing group `metric_silent` or `demand_signal_old` fires.
    });
  return rules;
}

/** In jobs mode one metric and the maximum of the deployment: an alarm is billed by the metrics that it reads. */
function full({ scalingMode, groupName, asgMaxSize }: RunnerFleetSettings) {
  const [desired, maximum] = ['GroupDesiredCapacity', 'GroupMaxSize'].map((name) => groupMetric(groupName, name));
  if (scalingMode === 'jobs')
    return { metric: desired!, operator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD, threshold: asgMaxSize };
  const room = new MathExpression({
    expression: 'maximum - desired',
    usingMetrics: { maximum: maximum!, desired: desired! },
    period: minute,
  });
  return { metric: room, operator: LESS_THAN_THRESHOLD, threshold: 1 };
}

/** The same rules for the groups of all types together: the functions publish the worst of them, so that no alarm is needed for each. */
function typeRules(settings: FleetSettings): AlarmRule[] {
  const { groupName, bootTimeout } = settings;
  const named = 'drover fleet status names the type';
  const mayBeEmpty = [settings, ...settings.types.map((type) => type.settings)].every(
    ({ asgMinSize }) => asgMinSize === 0,
  );
  return [
    {
      name: alarmName.atMaximum(groupName),
      description: `the group of a type is at its maximum: jobs may wait; raise its asg_max_size; ${named}`,
      metric: fleetMetric(settings, metrics.groupRoom, { statistic: Stats.MINIMUM }),
      operator: LESS_THAN_THRESHOLD,
      threshold: 1,
      periods: 15,
    },
    {
      name: alarmName.launchStuck(groupName),
      description: `an instance is launched for half an hour, or for boot_timeout: see drover fleet doctor; ${named}`,
      metric: fleetMetric(settings, metrics.launchAge, { statistic: Stats.MAXIMUM }),
      threshold: Math.max(1800, bootTimeout),
    },
    ...(mayBeEmpty
      ? []
      : [
          {
            name: alarmName.noneInService(groupName),
            description: `no instance of a type is in service: see the scaling activities; ${named}`,
            metric: fleetMetric(settings, metrics.groupsEmpty, { statistic: Stats.MAXIMUM }),
            periods: 15,
          },
        ]),
  ];
}

/** Types have no warm pools. */
function warmPoolRules({ groupName, warmPool }: RunnerFleetSettings): AlarmRule[] {
  if (warmPool === undefined || warmPool.minSize === 0) return [];
  return [
    {
      name: alarmName.warmPoolEmpty(groupName),
      description: 'the warm pool is empty for an hour: instances do not hibernate, or on_demand_base_capacity is set',
      metric: groupMetric(groupName, 'WarmPoolWarmedCapacity'),
      operator: LESS_THAN_THRESHOLD,
      threshold: 1,
      periods: 60,
    },
  ];
}

function fleetRules(settings: RunnerFleetSettings): AlarmRule[] {
  const { groupName } = settings;
  const metric = (metricName: string, dimensionsMap: Record<string, string> = {}) =>
    fleetMetric(settings, metricName, { dimensionsMap });
  return [
    {
      name: alarmName.runnerOutdated(groupName),
      description: 'a runner version in use gets no more jobs in less than a week: see drover fleet doctor',
      metric: fleetMetric(settings, metrics.runnerDaysLeft, { statistic: Stats.MINIMUM, period: Duration.hours(1) }),
      operator: LESS_THAN_THRESHOLD,
      threshold: leastDaysLeft,
    },
    {
      name: alarmName.rolloutStopped(groupName),
      description: 'no host of the new launch template boots: the hosts of before go on; see drover fleet doctor',
      metric: fleetMetric(settings, metrics.rolloutStopped, { statistic: Stats.MAXIMUM, period: Duration.minutes(15) }),
      operator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
    },
    {
      name: alarmName.bootsFailing(groupName),
      description:
        'instances fail while they boot, or break: launches are braked; see drover fleet doctor for the reason',
      metric: metric(metrics.bootFailures),
      operator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 2,
    },
    {
      name: alarmName.hookTooOld(groupName),
      description: 'an instance waits longer than allowed_drain_time: see drover fleet doctor',
      metric: metric(metrics.hookAge),
      threshold: Math.max(settings.allowedDrainTime, 1800) + 900,
      periods: 5,
    },
    ...(settings.scalingMode === 'jobs' ? [] : [silenceRule(settings)]),
    {
      name: alarmName.registrationFails(groupName),
      description: 'the platform rejects our credentials: see drover fleet doctor',
      metric: metric(metrics.registrationFailures, { Reason: 'credentials' }),
    },
  ];
}

/** In jobs mode `demand_signal_old` reports silence, too. */
const silenceRule = (settings: RunnerFleetSettings): AlarmRule => ({
  name: alarmName.metricSilent(settings.groupName),
  description: 'the idle count is not published any more, so nothing scales: see the log of record_metric',
  metric: fleetMetric(settings, metrics.idle),
  operator: LESS_THAN_THRESHOLD,
  threshold: 0,
  periods: 10,
  missing: BREACHING,
});

/** Its function runs too seldom for alarms on single minutes: what it publishes is missing when it fails. */
function bakeRules(settings: RunnerFleetSettings): AlarmRule[] {
  if (settings.imageBakeDays === undefined) return [];
  return [
    {
      name: alarmName.imageBakesFail(settings.groupName),
      description:
        'no new image could be baked, or <asg>_image fails: instances take the old one; see drover fleet doctor',
      metric: fleetMetric(settings, metrics.imageBakesFailed, {
        statistic: Stats.MAXIMUM,
        period: Duration.minutes(15),
      }),
      reportsSilence: true,
    },
  ];
}

/** Rules that read the list of runners. */
function idleRules(settings: RunnerFleetSettings): AlarmRule[] {
  const { groupName } = settings;
  const metric = (metricName: string) => fleetMetric(settings, metricName);
  return [
    {
      name: alarmName.runnersMissing(groupName),
      description: 'instances are in service without a runner: the sweep replaces them; see drover fleet doctor',
      metric: metric(metrics.missing),
      periods: 20,
    },
    {
      name: alarmName.runnersOffline(groupName),
      description: 'runners are registered but offline: their agents start them again; see drover fleet doctor',
      metric: metric(metrics.offline),
      periods: 20,
    },
    {
      name: alarmName.rateLimitLow(groupName),
      description: 'the platform budget is nearly used up: see drover fleet rate-limit',
      metric: metric(metrics.rateLimitRemaining),
      operator: LESS_THAN_THRESHOLD,
      threshold: lowBudget,
      periods: 3,
    },
  ];
}

/** Rules that read the messages of the scale set. */
function jobsRules(settings: RunnerFleetSettings): AlarmRule[] {
  const { groupName } = settings;
  return [
    {
      name: alarmName.demandSignalOld(groupName),
      description:
        'nothing is known of the jobs that wait, so nothing scales: see the logs of demand and record_metric',
      metric: fleetMetric(settings, metrics.demandSignalAge, { statistic: Stats.MAXIMUM }),
      threshold: 240,
      // A fleet at rest is published every third minute.
      periods: 4,
      missing: BREACHING,
    },
    {
      name: alarmName.jobsNotTaken(groupName),
      description: 'GitHub counts jobs that wait although as many runners are idle: nothing is launched for them',
      metric: fleetMetric(settings, metrics.jobsNotTaken),
      periods: 5,
    },
  ];
}
