import {
  functionName,
  functionSuffixes,
  groupDimension,
  metricNamespace,
  metrics,
} from '@drover/core/names/runner-fleet';
import { Aws, Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { RunnerFleetSettings } from './settings.ts';

/** One dashboard a fleet: runners, instances, platform budget, functions. */
export class FleetDashboard extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, settings: RunnerFleetSettings) {
    super(scope, id);
    const { groupName } = settings;
    const period = Duration.minutes(1);
    const fleet = (metricName: string) =>
      new Metric({
        namespace: metricNamespace(settings.vendor),
        metricName,
        dimensionsMap: { [groupDimension]: groupName },
        statistic: Stats.AVERAGE,
        period,
      });
    const group = (metricName: string) =>
      new Metric({
        namespace: 'AWS/AutoScaling',
        metricName,
        dimensionsMap: { [groupDimension]: groupName },
        statistic: Stats.AVERAGE,
        period,
      });
    const fn = (metricName: string, statistic: string) =>
      functionSuffixes.map(
        (suffix) =>
          new Metric({
            namespace: 'AWS/Lambda',
            metricName,
            dimensionsMap: { FunctionName: functionName(groupName, suffix) },
            statistic,
            period,
            label: suffix,
          }),
      );
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: groupName });
    dashboard.addWidgets(
      new GraphWidget({
        title: 'Runners',
        left: [fleet(metrics.idle), fleet(metrics.busy), fleet(metrics.offline)],
        leftAnnotations: [{ value: settings.idleRunnersTargetCount, label: 'idle target' }],
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
      new GraphWidget({ title: 'Hook age (s)', left: [fleet(metrics.hookAge)], width: 8 }),
      new GraphWidget({ title: 'Platform requests left', left: [fleet(metrics.rateLimitRemaining)], width: 8 }),
      new GraphWidget({
        title: 'Function errors and throttles',
        left: [...fn('Errors', Stats.SUM), ...fn('Throttles', Stats.SUM)],
        width: 8,
      }),
    );
    this.url = `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${groupName}`;
  }
}
