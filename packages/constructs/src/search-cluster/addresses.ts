import { healthCheckCodes, healthCheckPath, hostNames, ports } from '@drover/core/names/search-cluster';
import { Construct } from 'constructs';
import { addressCertificate } from '../balancing/address-certificate.ts';
import { HttpsLoadBalancer } from '../balancing/https-load-balancer.ts';
import type { NodeKind, SearchClusterSettings } from './settings.ts';

/** Two load balancers, and the three names that lead to them. */
export class ClusterAddresses extends Construct {
  readonly balancers: Readonly<Record<NodeKind, HttpsLoadBalancer>>;

  constructor(scope: Construct, id: string, settings: SearchClusterSettings, securityGroupId: string) {
    super(scope, id);
    const { clusterName, zoneName } = settings;
    const full = (name: string) => `${name}.${zoneName}`;
    const [cluster, master, data] = [
      full(hostNames.cluster(clusterName)),
      full(hostNames.master(clusterName)),
      full(hostNames.data(clusterName)),
    ];
    const certificateArn = addressCertificate(this, 'Certificate', [cluster, master, data], settings);
    const balancer = (balancerId: string, names: readonly string[]) =>
      new HttpsLoadBalancer(this, balancerId, {
        settings,
        securityGroupId,
        certificateArn,
        targets: searchTargets,
        hostNames: names,
      });
    this.balancers = { master: balancer('Masters', [cluster, master]), data: balancer('Data', [data]) };
  }
}

const searchTargets = {
  type: 'instance',
  port: ports.http,
  healthCheck: {
    healthCheckPath,
    healthCheckIntervalSeconds: 15,
    healthyThresholdCount: 2,
    unhealthyThresholdCount: 3,
    matcher: { httpCode: healthCheckCodes },
  },
} as const;
