import type { Random } from '@drover/core';
import { type ArnScope, arn } from '../arn.ts';
import type { ResourceProvider, ResourceProviders, ResourceRequest, ResourceState } from '../service.ts';

/** Hosted zones of load balancers, application and network (AWS General Reference, "Elastic Load Balancing endpoints"). */
const hostedZones: Readonly<Record<string, readonly [application: string, network: string]>> = {
  'eu-central-1': ['Z215JYRZR1TBD5', 'Z3F0SRJ5LGBH90'],
  'eu-west-1': ['Z32O12XQLNTSW2', 'Z2IFOLAFXWLO4F'],
  'us-east-1': ['Z35SXDOTRQ7X7K', 'Z26RNL4JYFTOTI'],
  'us-west-2': ['Z1H1FL5HABSF5', 'Z18D5FSROUN65G'],
};

/** The longest name of a load balancer or target group. */
const maxName = 32;

/** Load balancing as far as templates need it: names, ARNs and attributes of the right shape. No traffic, no health. */
export const loadBalancingResources = (scope: ArnScope, random: Random): ResourceProviders => ({
  'AWS::ElasticLoadBalancingV2::LoadBalancer': shaped((request) => loadBalancer(request, scope, random)),
  'AWS::ElasticLoadBalancingV2::TargetGroup': shaped((request) => targetGroup(request, scope, random)),
  'AWS::ElasticLoadBalancingV2::Listener': shaped(({ properties }) => {
    const path = String(properties.LoadBalancerArn).split(':loadbalancer/')[1] ?? 'app/unknown/0';
    const ListenerArn = arn(scope, 'elasticloadbalancing', `listener/${path}/${random.hex(16)}`);
    return { physicalId: ListenerArn, attributes: { ListenerArn } };
  }),
  'AWS::ElasticLoadBalancingV2::ListenerRule': shaped(({ properties }) => {
    const path = String(properties.ListenerArn).split(':listener/')[1] ?? 'app/unknown/0/0';
    const RuleArn = arn(scope, 'elasticloadbalancing', `listener-rule/${path}/${random.hex(16)}`);
    return { physicalId: RuleArn, attributes: { RuleArn, IsDefault: false } };
  }),
});

const shaped = (create: (request: ResourceRequest) => ResourceState): ResourceProvider => ({
  shapeOnly: true,
  create,
  update: ({ physicalId }) => ({ physicalId }),
  delete: () => {},
});

function loadBalancer({ properties, generateName }: ResourceRequest, scope: ArnScope, random: Random): ResourceState {
  const name: string = properties.Name ?? generateName(maxName);
  const isNetwork = properties.Type === 'network';
  const id = random.hex(16);
  const LoadBalancerFullName = `${isNetwork ? 'net' : 'app'}/${name}/${id}`;
  const LoadBalancerArn = arn(scope, 'elasticloadbalancing', `loadbalancer/${LoadBalancerFullName}`);
  const zones = hostedZones[scope.region] ?? hostedZones['eu-west-1']!;
  const attributes = {
    LoadBalancerArn,
    LoadBalancerFullName,
    LoadBalancerName: name,
    CanonicalHostedZoneID: zones[isNetwork ? 1 : 0],
    DNSName: dnsName(name, id, isNetwork, properties.Scheme === 'internal', scope.region, random),
    SecurityGroups: properties.SecurityGroups ?? [],
  };
  return { physicalId: LoadBalancerArn, attributes };
}

function dnsName(
  name: string,
  id: string,
  isNetwork: boolean,
  internal: boolean,
  region: string,
  random: Random,
): string {
  if (isNetwork) return `${name}-${id}.elb.${region}.amazonaws.com`;
  return `${internal ? 'internal-' : ''}${name}-${random.int(100_000_000, 1_999_999_999)}.${region}.elb.amazonaws.com`;
}

function targetGroup({ properties, generateName }: ResourceRequest, scope: ArnScope, random: Random): ResourceState {
  const TargetGroupName: string = properties.Name ?? generateName(maxName);
  const TargetGroupFullName = `targetgroup/${TargetGroupName}/${random.hex(16)}`;
  const TargetGroupArn = arn(scope, 'elasticloadbalancing', TargetGroupFullName);
  return {
    physicalId: TargetGroupArn,
    attributes: { TargetGroupArn, TargetGroupFullName, TargetGroupName, LoadBalancerArns: [] },
  };
}
