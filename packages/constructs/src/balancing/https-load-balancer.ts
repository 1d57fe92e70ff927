import { deregistrationSeconds } from '@drover/core/names/search-cluster';
import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  CfnListener,
  CfnLoadBalancer,
  CfnTargetGroup,
  type CfnTargetGroupProps,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { addressDefaults } from '../inputs/shared-defaults.ts';
import type { AddressInputs } from '../inputs/shared-props.ts';

export interface HttpsLoadBalancerProps {
  readonly settings: AddressSettings;
  readonly securityGroupId: string;
  readonly certificateArn: string;
  readonly targets: Targets;
  /** Fully qualified names in the zone that are aliases of this load balancer. */
  readonly hostNames: readonly string[];
}

type AddressSettings = ReturnType<typeof addressDefaults> &
  Pick<AddressInputs, 'zoneId' | 'accessLogsBucket'> & { readonly vpcId: string };

export interface Targets {
  readonly type: 'instance' | 'ip';
  readonly port: number;
  readonly healthCheck: Pick<
    CfnTargetGroupProps,
    'healthCheckPath' | 'healthCheckIntervalSeconds' | 'healthyThresholdCount' | 'unhealthyThresholdCount' | 'matcher'
  >;
}

/** TLS 1.2 and 1.3 (Elastic Load Balancing user guide, "Security policies"). */
const securityPolicy = 'ELBSecurityPolicy-TLS13-1-2-2021-06';
/** Long enough for slow searches and snapshot requests. */
const idleSeconds = 300;

/** HTTPS on 443 with a public certificate; behind it plain HTTP. Nothing listens on port 80. */
export class HttpsLoadBalancer extends Construct {
  readonly balancer: CfnLoadBalancer;
  readonly targetGroup: CfnTargetGroup;
  readonly listener: CfnListener;

  constructor(scope: Construct, id: string, props: HttpsLoadBalancerProps) {
    super(scope, id);
    const { settings } = props;
    this.balancer = new CfnLoadBalancer(this, 'Balancer', {
      type: 'application',
      scheme: settings.loadBalancerScheme,
      subnets: [...settings.loadBalancerSubnetIds],
      securityGroups: [props.securityGroupId],
      loadBalancerAttributes: attributes({
        'idle_timeout.timeout_seconds': idleSeconds,
        'routing.http.drop_invalid_header_fields.enabled': true,
        ...accessLogs(props),
      }),
    });
    if (settings.accessLogsBucket === undefined)
      acknowledge(this.balancer, { ELB2: 'only with access_logs_bucket: otherwise requests are recorded nowhere' });
    this.targetGroup = new CfnTargetGroup(this, 'Targets', {
      vpcId: settings.vpcId,
      targetType: props.targets.type,
      protocol: 'HTTP',
      port: props.targets.port,
      healthCheckProtocol: 'HTTP',
      ...props.targets.healthCheck,
      targetGroupAttributes: attributes({ 'deregistration_delay.timeout_seconds': deregistrationSeconds }),
    });
    this.listener = new CfnListener(this, 'Listener', {
      loadBalancerArn: this.balancer.ref,
      protocol: 'HTTPS',
      port: 443,
      sslPolicy: securityPolicy,
      certificates: [{ certificateArn: props.certificateArn }],
      defaultActions: [{ type: 'forward', targetGroupArn: this.targetGroup.ref }],
    });
    props.hostNames.forEach((name, index) => {
      this.#record(`Address${index}`, name, settings.zoneId);
    });
  }

  /** The largest number of targets within a period that fail their health check. */
  metricUnhealthyHosts(options: MetricOptions = {}): Metric {
    return new Metric({
      namespace: 'AWS/ApplicationELB',
      metricName: 'UnHealthyHostCount',
      dimensionsMap: {
        TargetGroup: this.targetGroup.attrTargetGroupFullName,
        LoadBalancer: this.balancer.attrLoadBalancerFullName,
      },
      statistic: Stats.MAXIMUM,
      period: Duration.minutes(5),
      ...options,
    });
  }

  #record(id: string, name: string, hostedZoneId: string): void {
    new CfnRecordSet(this, id, {
      hostedZoneId,
      name,
      type: 'A',
      aliasTarget: { dnsName: this.balancer.attrDnsName, hostedZoneId: this.balancer.attrCanonicalHostedZoneId },
    });
  }
}

/** By the first name, so that several load balancers can share a bucket. */
const accessLogs = ({
  settings: { accessLogsBucket: bucket },
  hostNames: [name],
}: HttpsLoadBalancerProps): Readonly<Record<string, string | boolean>> =>
  bucket === undefined
    ? {}
    : { 'access_logs.s3.enabled': true, 'access_logs.s3.bucket': bucket, 'access_logs.s3.prefix': name! };

const attributes = (values: Readonly<Record<string, string | number | boolean>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: String(value) }));
