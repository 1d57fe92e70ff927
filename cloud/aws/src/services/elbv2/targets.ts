import type { AwsNeighbours } from '../../account/neighbours.ts';
import { invalidTarget, type Target, type TargetGroup, targetKey } from './model.ts';

/** Registers a target. It is checked before requests go to it. */
export function register(aws: AwsNeighbours, group: TargetGroup, id: string, port = group.port): void {
  const key = targetKey(id, port);
  const known = group.targets.get(key);
  if (known !== undefined && known.state !== 'draining') return;
  if (group.targetType === 'instance') requireRunning(aws, id);
  group.targets.set(key, {
    id,
    port,
    registeredAt: aws.engine.clock.now(),
    state: 'initial',
    reason: 'Elb.RegistrationInProgress',
    description: 'Target registration is in progress',
    passed: 0,
    failed: 0,
  });
}

/** Takes a target out: it gets no new request, and is forgotten when the deregistration delay is over. */
export function deregister(aws: AwsNeighbours, group: TargetGroup, id: string, port = group.port): void {
  const target = group.targets.get(targetKey(id, port));
  if (target === undefined || target.state === 'draining') return;
  target.state = 'draining';
  target.reason = 'Target.DeregistrationInProgress';
  target.description = 'Target deregistration is in progress';
  const delaySeconds = Number(group.attributes['deregistration_delay.timeout_seconds'] ?? 300);
  aws.engine.clock.after(delaySeconds * 1000, () => forget(group, target));
}

function forget(group: TargetGroup, target: Target): void {
  const key = targetKey(target.id, target.port);
  if (group.targets.get(key) === target) group.targets.delete(key);
}

function requireRunning(aws: AwsNeighbours, id: string): void {
  const state = aws.ec2.instances.get(id)?.state;
  if (state !== 'running')
    throw invalidTarget(`The following targets are not in a running state and cannot be registered: '${id}'`);
}

/** Where a target listens, unless its instance is gone. */
export function addressOf(aws: AwsNeighbours, group: TargetGroup, target: Target): string | undefined {
  if (group.targetType === 'ip') return target.id;
  const instance = aws.ec2.instances.get(target.id);
  return instance?.state === 'running' ? instance.privateIp : undefined;
}

/** Those that get requests: the healthy ones, or all of them when none is. (User Guide, "Target groups": "fails open".) */
export function eligibleTargets(group: TargetGroup): Target[] {
  const all = [...group.targets.values()].filter(({ state }) => state !== 'draining' && state !== 'unused');
  const healthy = all.filter(({ state }) => state === 'healthy');
  return healthy.length > 0 ? healthy : all;
}
