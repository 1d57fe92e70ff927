import { metrics } from '@drover/core/names/search-cluster';
import { Aws } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, GraphWidget, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { ClusterAddresses } from './addresses.ts';
import { clusterMetric } from './alarms.ts';
import type { SearchClusterSettings } from './settings.ts';

/** One dashboard for each cluster: alarms, health, disks, snapshots, drains, load balancers. */
export class ClusterDashboard extends Construct {
  readonly url: string;

  constructor(
    scope: Construct,
    id: string,
    settings: SearchClusterSettings,
    { balancers }: ClusterAddresses,
    alarms: readonly IAlarm[],
  ) {
    super(scope, id);
    const { resourceName } = settings;
    // A fleet's dashboard has the name of its group, which may be the cluster's, too.
    const dashboardName = `${resourceName}-search`;
    const graph = (title: string, ...names: string[]) =>
      new GraphWidget({ title, left: names.map((name) => clusterMetric(resourceName, name)), width: 8 });
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName });
    dashboard.addWidgets(
      new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 3 }),
      graph('Not green (1)', metrics.notGreen, metrics.mastersInOneZone, metrics.rollStopped),
      graph('Fullest disk and heap (%)', metrics.diskUsed, metrics.heapUsed),
      graph('Refused requests and blocked indices', metrics.rejected, metrics.blockedIndices),
      new GraphWidget({
        title: 'Unhealthy targets',
        left: [balancers.master, balancers.data].map((balancer) => balancer.metricUnhealthyHosts()),
        width: 8,
      }),
      graph('Age of the last snapshot (s)', metrics.snapshotAge),
      graph('Age of the last restore drill (s)', metrics.drillAge),
      graph('Longest drain (s) and retained instances', metrics.drain, metrics.retained),
    );
    this.url = `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${dashboardName}`;
  }
}
