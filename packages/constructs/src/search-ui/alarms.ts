import { uiAlarmName } from '@drover/core/names/search-cluster';
import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmRule } from '../alarms.ts';
import type { HttpsLoadBalancer } from '../balancing/https-load-balancer.ts';

/** Every alarm of the web UI; each means that an operator has to act. */
export const uiAlarmRules = (name: string, balancer: HttpsLoadBalancer): readonly AlarmRule[] => [
  {
    name: uiAlarmName.unhealthyHosts(name),
    description: 'a task of the web UI is unhealthy for 15 minutes: see its log; is the cluster there?',
    metric: balancer.metricUnhealthyHosts(),
    periods: 3,
  },
  {
    name: uiAlarmName.redeploymentFails(name),
    description: 'the web UI does not follow its password any more: see the log of the function',
    metric: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      dimensionsMap: { FunctionName: name },
      statistic: Stats.SUM,
      period: Duration.minutes(5),
    }),
    periods: 3,
  },
];
