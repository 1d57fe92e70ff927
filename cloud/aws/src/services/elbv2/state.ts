import {
  type Listener,
  type LoadBalancer,
  noListener,
  noLoadBalancer,
  noTargetGroup,
  type TargetGroup,
} from './model.ts';

/** The state: load balancers, their listeners, target groups. */
export class Balancers {
  readonly loadBalancers = new Map<string, LoadBalancer>();
  readonly listeners = new Map<string, Listener>();
  readonly targetGroups = new Map<string, TargetGroup>();

  loadBalancer(arn: string | undefined): LoadBalancer {
    return found(this.loadBalancers.get(arn ?? ''), noLoadBalancer);
  }

  listener(arn: string | undefined): Listener {
    return found(this.listeners.get(arn ?? ''), noListener);
  }

  targetGroup(arn: string | undefined): TargetGroup {
    return found(this.targetGroups.get(arn ?? ''), noTargetGroup);
  }

  byDnsName(name: string): LoadBalancer | undefined {
    const wanted = name.toLowerCase();
    return [...this.loadBalancers.values()].find(({ dnsName }) => dnsName.toLowerCase() === wanted);
  }

  listenersOf(loadBalancerArn: string): Listener[] {
    return [...this.listeners.values()].filter((listener) => listener.loadBalancerArn === loadBalancerArn);
  }

  /** The load balancers that forward to a target group; without one its targets are `unused`. */
  usersOf(targetGroupArn: string): LoadBalancer[] {
    const users = [...this.listeners.values()]
      .filter(({ action }) => action.type === 'forward' && action.targetGroupArn === targetGroupArn)
      .map(({ loadBalancerArn }) => this.loadBalancer(loadBalancerArn));
    return [...new Set(users)];
  }
}

function found<T>(item: T | undefined, missing: () => Error): T {
  if (item === undefined) throw missing();
  return item;
}
