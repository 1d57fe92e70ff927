import { defaultType, functionsOf, metrics } from '@drover/core/names/runner-fleet';
import { Aws, Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { fleetMetric, functionMetric, groupMetric } from './metrics.ts';
import type { FleetSettings } from './types/type-settings.ts';

/** Jobs are counted by the hour: a minute has few of them. */
const hour = Duration.hours(1);

/** One dashboard for each fleet: runners, instances, jobs, platform budget, functions; with types, a row for each. */
export class FleetDashboard extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, settings: FleetSettings) {
    super(scope, id);
    const { groupName } = settings;
    const scheduled = settings.idleTargetSchedules.length > 0;
    const fleet = (metricName: string) => fleetMetric(settings, metricName);
    const group = (metricName: string) => groupMetric(groupName, metricName);
    const functions = (metricName: string) =>
      functionsOf(settings.scalingMode, settings.imageBakeDays !== undefined).map((suffix) =>
        functionMetric(groupName, suffix, metricName, { statistic: Stats.SUM, label: suffix }),
      );
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: groupName });
    dashboard.addWidgets(
      new GraphWidget({
        title: 'Runners',
        left: [metrics.idle, metrics.busy, metrics.offline, ...(scheduled ? [metrics.idleTarget] : [])].map(fleet),
        leftAnnotations: scheduled ? [] : [{ value: settings.idleRunnersTargetCount, label: 'idle target' }],
        width: 12,
      }),
      new GraphWidget({
        title: 'Instances',
        left: [
          'GroupInServiceInstances',
          'GroupPendingInstances',
          'GroupTerminatingInstances',
          'WarmPoolWarmedCapacity',
        ].map(group),
        width: 12,
      }),
      new GraphWidget({
        title: 'Jobs',
        left: [fleetMetric(settings, metrics.jobs, { statistic: Stats.SUM, period: hour })],
        right: [fleetMetric(settings, metrics.jobSeconds, { statistic: Stats.percentile(95), period: hour })],
        width: 24,
      }),
      new GraphWidget({ title: 'Hook age (s)', left: [fleet(metrics.hookAge)], width: 8 }),
      new GraphWidget({ title: 'Platform requests left', left: [fleet(metrics.rateLimitRemaining)], width: 8 }),
      new GraphWidget({
        title: 'Function errors and throttles',
        left: [...functions('Errors'), ...functions('Throttles')],
        width: 8,
      }),
    );
    for (const widgets of typeRows(settings)) dashboard.addWidgets(...widgets);
    this.url = `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${groupName}`;
  }
}

/** Jobs and instances of each type; a further type has figures of jobs while it has any. */
function typeRows(settings: FleetSettings): GraphWidget[][] {
  const { types, vendor, groupName } = settings;
  if (types.length === 0) return [];
  const all = [{ name: defaultType, groupName }, ...types.map(({ name, settings: type }) => ({ name, ...type }))];
  return all.map(({ name, groupName: group }) => [
    new GraphWidget({
      title: `Type ${name}: jobs`,
      left: [metrics.runningJobs, metrics.waitingJobs].map((metric) =>
        fleetMetric({ vendor, groupName: group }, metric),
      ),
      width: 12,
    }),
    new GraphWidget({
      title: `Type ${name}: instances`,
      left: ['GroupInServiceInstances', 'GroupPendingInstances'].map((metric) => groupMetric(group, metric)),
      width: 12,
    }),
  ]);
}
