import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { Action, Listener, LoadBalancer, Target, TargetGroup } from './model.ts';

/** A load balancer as DescribeLoadBalancers shows it. */
export const loadBalancerShape = (aws: AwsNeighbours, balancer: LoadBalancer) => ({
  LoadBalancerArn: balancer.arn,
  LoadBalancerName: balancer.name,
  DNSName: balancer.dnsName,
  CanonicalHostedZoneId: balancer.hostedZoneId,
  CreatedTime: new Date(balancer.createdAt),
  Scheme: balancer.scheme,
  Type: 'application',
  IpAddressType: 'ipv4',
  State: { Code: 'active' },
  SecurityGroups: [...balancer.securityGroupIds],
  AvailabilityZones: [...balancer.nodes.keys()].map((SubnetId) => ({
    SubnetId,
    ZoneName: aws.ec2.zoneOfSubnet(SubnetId),
    LoadBalancerAddresses: [],
  })),
});

export const listenerShape = (listener: Listener) => ({
  ListenerArn: listener.arn,
  LoadBalancerArn: listener.loadBalancerArn,
  Port: listener.port,
  Protocol: listener.protocol,
  ...(listener.sslPolicy === undefined ? {} : { SslPolicy: listener.sslPolicy }),
  Certificates: listener.certificateArns.map((CertificateArn) => ({ CertificateArn })),
  DefaultActions: [actionShape(listener.action)],
});

function actionShape(action: Action) {
  if (action.type === 'forward') return { Type: 'forward', TargetGroupArn: action.targetGroupArn };
  if (action.type === 'redirect')
    return {
      Type: 'redirect',
      RedirectConfig: { Protocol: action.protocol, Port: action.port, StatusCode: action.statusCode },
    };
  return {
    Type: 'fixed-response',
    FixedResponseConfig: { StatusCode: action.statusCode, MessageBody: action.body, ContentType: action.contentType },
  };
}

export const targetGroupShape = (group: TargetGroup, LoadBalancerArns: readonly string[]) => ({
  TargetGroupArn: group.arn,
  TargetGroupName: group.name,
  Protocol: group.protocol,
  ProtocolVersion: 'HTTP1',
  Port: group.port,
  ...(group.vpcId === undefined ? {} : { VpcId: group.vpcId }),
  TargetType: group.targetType,
  IpAddressType: 'ipv4',
  HealthCheckEnabled: true,
  HealthCheckProtocol: group.healthCheck.protocol,
  HealthCheckPort: group.healthCheck.port,
  HealthCheckPath: group.healthCheck.path,
  HealthCheckIntervalSeconds: group.healthCheck.intervalSeconds,
  HealthCheckTimeoutSeconds: group.healthCheck.timeoutSeconds,
  HealthyThresholdCount: group.healthCheck.healthyThreshold,
  UnhealthyThresholdCount: group.healthCheck.unhealthyThreshold,
  Matcher: { HttpCode: group.healthCheck.matcher },
  LoadBalancerArns: [...LoadBalancerArns],
});

export const targetHealthShape = (group: TargetGroup, target: Target) => ({
  Target: { Id: target.id, Port: target.port },
  HealthCheckPort: group.healthCheck.port === 'traffic-port' ? String(target.port) : group.healthCheck.port,
  TargetHealth: {
    State: target.state,
    ...(target.reason === undefined ? {} : { Reason: target.reason, Description: target.description }),
  },
});
