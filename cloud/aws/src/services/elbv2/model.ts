import type { Origin } from '@drover/cloud-engine';
import { AwsError } from '../../account/errors.ts';

export type HealthState = 'initial' | 'healthy' | 'unhealthy' | 'unused' | 'draining';

export interface Target {
  /** Instance id or address. */
  readonly id: string;
  readonly port: number;
  readonly registeredAt: number;
  state: HealthState;
  /** As DescribeTargetHealth names it. */
  reason: string | undefined;
  description: string | undefined;
  /** Checks in a row that passed, or failed. */
  passed: number;
  failed: number;
}

export interface HealthCheck {
  readonly path: string;
  readonly protocol: string;
  /** `traffic-port` or a number. */
  readonly port: string;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
  /** HTTP codes: `200`, `200,202` or `200-299`. */
  readonly matcher: string;
}

export interface TargetGroup {
  readonly arn: string;
  readonly fullName: string;
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  readonly vpcId: string | undefined;
  readonly targetType: 'instance' | 'ip';
  healthCheck: HealthCheck;
  attributes: Record<string, string>;
  tags: Record<string, string>;
  /** By `id:port`. */
  readonly targets: Map<string, Target>;
  /** Where the next request goes, round robin. */
  turn: number;
}

export interface LoadBalancer {
  readonly arn: string;
  readonly fullName: string;
  readonly name: string;
  readonly dnsName: string;
  readonly hostedZoneId: string;
  readonly scheme: string;
  readonly createdAt: number;
  /** Subnet id → the address of its node there. */
  nodes: ReadonlyMap<string, string>;
  securityGroupIds: readonly string[];
  attributes: Record<string, string>;
  tags: Record<string, string>;
}

export type Action =
  | { readonly type: 'forward'; readonly targetGroupArn: string }
  | { readonly type: 'redirect'; readonly protocol: string; readonly port: string; readonly statusCode: string }
  | {
      readonly type: 'fixed-response';
      readonly statusCode: string;
      readonly body: string;
      readonly contentType: string;
    };

export interface Listener {
  readonly arn: string;
  readonly loadBalancerArn: string;
  protocol: string;
  port: number;
  certificateArns: readonly string[];
  sslPolicy: string | undefined;
  action: Action;
}

export const targetKey = (id: string, port: number): string => `${id}:${port}`;

/** Defaults of an application load balancer's HTTP checks. (User Guide, "Health checks for Application Load Balancer target groups".) */
export const defaultHealthCheck: HealthCheck = {
  path: '/',
  protocol: 'HTTP',
  port: 'traffic-port',
  intervalSeconds: 30,
  timeoutSeconds: 5,
  healthyThreshold: 5,
  unhealthyThreshold: 2,
  matcher: '200',
};

export const noTargetGroup = () => new AwsError('TargetGroupNotFound', 'One or more target groups not found');
export const noLoadBalancer = () => new AwsError('LoadBalancerNotFound', 'One or more load balancers not found');
export const noListener = () => new AwsError('ListenerNotFound', 'One or more listeners not found');
export const invalidTarget = (message: string) => new AwsError('InvalidTarget', message);
export const validation = (message: string) => new AwsError('ValidationError', message);

/** A connection that a load balancer makes: it comes from one of its nodes, in its security groups. */
export function originOf({ name, securityGroupIds, nodes }: LoadBalancer): Origin {
  const [address] = nodes.values();
  return {
    kind: 'load-balancer',
    name,
    subnetIds: [...nodes.keys()],
    securityGroupIds,
    ...(address === undefined ? {} : { address }),
  };
}
