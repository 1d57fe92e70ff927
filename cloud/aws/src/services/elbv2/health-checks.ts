import { every, type Network, noBody } from '@drover/cloud-engine';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { type HealthCheck, type LoadBalancer, originOf, type Target, type TargetGroup } from './model.ts';
import type { Balancers } from './state.ts';
import { addressOf } from './targets.ts';

const metricPeriodMs = 60_000;

/** Checks targets at their group's interval and says how many are healthy. */
export class HealthChecks {
  readonly #aws: AwsNeighbours;
  readonly #balancers: Balancers;
  #network: Network | undefined;
  readonly #running = new Map<string, { cancel(): void }>();
  #metrics: { cancel(): void } | undefined;

  constructor(aws: AwsNeighbours, balancers: Balancers) {
    this.#aws = aws;
    this.#balancers = balancers;
  }

  connect(network: Network): void {
    this.#network = network;
  }

  /** Begins with a new target group, or again when its settings have changed. */
  start(group: TargetGroup): void {
    this.stop(group.arn);
    const period = group.healthCheck.intervalSeconds * 1000;
    this.#running.set(
      group.arn,
      every(this.#aws.engine.clock, period, () => this.#checkAll(group)),
    );
    this.#metrics ??= every(this.#aws.engine.clock, metricPeriodMs, () => this.#publish());
  }

  stop(arn: string): void {
    this.#running.get(arn)?.cancel();
    this.#running.delete(arn);
    if (this.#running.size > 0) return;
    this.#metrics?.cancel();
    this.#metrics = undefined;
  }

  #checkAll(group: TargetGroup): void {
    const [user] = this.#balancers.usersOf(group.arn);
    for (const target of group.targets.values()) {
      if (target.state === 'draining') continue;
      if (user === undefined)
        note(target, 'unused', 'Target.NotInUse', 'Target group is not configured to receive traffic');
      else void this.#check(group, target, user);
    }
  }

  async #check(group: TargetGroup, target: Target, balancer: LoadBalancer): Promise<void> {
    const address = addressOf(this.#aws, group, target);
    if (address === undefined)
      return note(target, 'unused', 'Target.InvalidState', 'Target is in the stopped or terminated state');
    if (target.state === 'unused')
      note(target, 'initial', 'Elb.InitialHealthChecking', 'Initial health checks in progress');
    const answer = await this.#ask(group.healthCheck, address, target, balancer);
    if (target.state === 'draining') return;
    if (typeof answer === 'number' && matches(group.healthCheck.matcher, answer)) this.#passed(group, target);
    else this.#failed(group, target, answer);
  }

  /** The status, or why there is none. */
  async #ask(
    check: HealthCheck,
    address: string,
    target: Target,
    balancer: LoadBalancer,
  ): Promise<number | 'timeout' | 'refused'> {
    const port = check.port === 'traffic-port' ? target.port : Number(check.port);
    const [path = '/', query = ''] = check.path.split('?');
    const headers = { host: `${address}:${port}`, 'user-agent': 'ELB-HealthChecker/2.0', connection: 'close' };
    const request = { method: 'GET', host: `${address}:${port}`, path, query, headers, body: noBody };
    const { clock } = this.#aws.engine;
    return await new Promise((resolve) => {
      const timer = clock.after(check.timeoutSeconds * 1000, () => resolve('timeout'));
      this.#network!.from(originOf(balancer))(request)
        .then(({ status }) => resolve(status))
        .catch(() => resolve('refused'))
        .finally(() => timer.cancel());
    });
  }

  /** "It must pass one health check to be considered healthy" at first; later the threshold counts. (User Guide, "Health checks".) */
  #passed(group: TargetGroup, target: Target): void {
    target.failed = 0;
    target.passed += 1;
    if (target.state === 'healthy') return;
    if (target.state === 'unhealthy' && target.passed < group.healthCheck.healthyThreshold) return;
    note(target, 'healthy', undefined, undefined);
    this.#tell(group, target, true);
  }

  #failed(group: TargetGroup, target: Target, answer: number | 'timeout' | 'refused'): void {
    target.passed = 0;
    target.failed += 1;
    if (target.failed < group.healthCheck.unhealthyThreshold) return;
    const was = target.state;
    note(target, 'unhealthy', ...reasonOf(answer));
    if (was !== 'unhealthy') this.#tell(group, target, false);
  }

  #tell(group: TargetGroup, target: Target, healthy: boolean): void {
    this.#aws.engine.journal.record({
      kind: 'transition',
      source: 'aws.elasticloadbalancing',
      name: healthy ? 'unhealthy -> healthy' : 'healthy -> unhealthy',
      subject: target.id,
      detail: { targetGroup: group.name },
    });
    if (group.targetType === 'instance') this.#aws.autoscaling.reportTargetHealth(target.id, healthy);
  }

  /** (User Guide, "CloudWatch metrics for your Application Load Balancer".) */
  #publish(): void {
    for (const group of this.#balancers.targetGroups.values())
      for (const balancer of this.#balancers.usersOf(group.arn)) {
        const counted = [...group.targets.values()];
        const count = (healthy: boolean) =>
          counted.filter(({ state }) => state === (healthy ? 'healthy' : 'unhealthy')).length;
        const dimensions = { TargetGroup: group.fullName, LoadBalancer: balancer.fullName };
        const put = (name: string, value: number) =>
          this.#aws.cloudwatch.putMetric('AWS/ApplicationELB', name, dimensions, value, 'Count');
        put('HealthyHostCount', count(true));
        put('UnHealthyHostCount', count(false));
      }
  }
}

function note(
  target: Target,
  state: Target['state'],
  reason: string | undefined,
  description: string | undefined,
): void {
  target.state = state;
  target.reason = reason;
  target.description = description;
}

function reasonOf(answer: number | 'timeout' | 'refused'): [reason: string, description: string] {
  if (answer === 'timeout') return ['Target.Timeout', 'Request timed out'];
  if (answer === 'refused') return ['Target.FailedHealthChecks', 'Health checks failed'];
  return ['Target.ResponseCodeMismatch', `Health checks failed with these codes: [${answer}]`];
}

const matches = (matcher: string, status: number): boolean =>
  matcher.split(',').some((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return status >= first! && status <= last!;
  });
